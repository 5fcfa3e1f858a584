/// Calls the handlers of a store's effects that are an ``EffectRun``.
///
/// The engine decides under the store's lock what to do; the host does it after unlocking. It
/// doesn't retain the store.
@usableFromInline
final class EffectHost: Sendable {
  /// Reduces an intent, unless it comes from an effect that is canceled.
  private let dispatchToStore: @Sendable (any Intent, Origin?) -> Void

  /// Changes the engine under the store's lock, and then drains what is due.
  ///
  /// The caller runs the deferred work after it has released the store, because a waiter that
  /// continues may expect the store to be released.
  ///
  /// - Returns: whether work was deferred.
  private let changeStore: @Sendable (Change, ThreadID) -> Bool

  @usableFromInline
  typealias Change = (inout EffectEngine) -> Void

  let timer: Timer

  /// Whether a companion of the store watches all effects.
  let isWatched: Bool

  /// - Parameters:
  ///   - timer: the clock on which effects wait.
  ///   - isWatched: whether a companion of the store watches all effects.
  ///   - dispatch: reduces an intent, unless the store is gone.
  ///   - change: changes what the store's lock guards, unless the store is gone. Both closures are
  ///     formed where the store's type is known, so they are specialized for it. Formed here, they
  ///     would look up types at each call.
  @usableFromInline
  init(
    timer: Timer, isWatched: Bool,
    dispatch: @escaping @Sendable (any Intent, Origin?) -> Void,
    change: @escaping @Sendable (Change, ThreadID) -> Bool
  ) {
    (self.timer, self.isWatched) = (timer, isWatched)
    dispatchToStore = dispatch
    changeStore = change
  }

  /// Dispatches for an effect; what one of a part dispatches goes to the part.
  func dispatch(_ intent: any Intent, from origin: Origin) {
    guard let part = origin.part else { return dispatchToStore(intent, origin) }
    dispatchToStore(part.address(intent), origin)
  }

  /// Dispatches for effects whose intents need no origin.
  ///
  /// Its closure captures only this object, so none is allocated.
  @usableFromInline var dispatch: DispatchFunc { { self.dispatchToStore($0, self.anyOrigin) } }

  /// None; in debug builds one that marks an intent as an effect's, and not as one from outside.
  private var anyOrigin: Origin? {
    #if DEBUG
      Origin(cause: .outside, host: self)
    #else
      nil
    #endif
  }

  func change(_ body: Change) {
    let thread = currentThread()
    if changeStore(body, thread) { finishDeferred(on: thread) }
  }
}

// MARK: - An effect's turn

extension EffectRun {
  /// Starts an effect whose turn has come, or has it wait, unless it was canceled.
  ///
  /// An effect without a policy starts without the lock: only cancellations race with it.
  func takeTurn() {
    let starts = schedule == nil && !host.isWatched ? start() : host.beginTurn(of: self)
    if starts { host.call(self) }
  }
}

extension EffectHost {
  fileprivate func beginTurn(of run: EffectRun) -> Bool {
    let now = run.asksForTime ? timer.elapsed() : nil
    var starts = false
    change { engine in
      starts = engine.beginTurn(of: run, at: now)
      if now != nil { arm(run.group, &engine) }
    }
    return starts
  }

  /// Starts asynchronous work that no effect describes, unless the store takes no more effects.
  @usableFromInline
  func start(_ work: AsyncWork, as cause: Cause, in scope: PerformScope?) {
    let run = EffectRun(work, to: work.route, as: cause, in: scope, by: self)
    var starts = false
    change { engine in
      starts = engine.isOpen
      if starts { engine.add(run) }
    }
    if starts { run.takeTurn() }
  }

  /// Calls the synchronous handlers of an effect and starts the tasks of the others, in order.
  fileprivate func call(_ run: EffectRun) {
    let handlers = run.route.handlers
    for index in handlers.indices {
      switch handlers[index].work {
      case .async(let makeTask): if run.startsTasks { startTask(of: run, by: makeTask) }
      case .sync(let handle): handle(run.effect, run)
      case .mainActor(let calls, let work):
        call(of: run, by: calls) { work(run.effect, run.dispatch) }
      }
    }
    endShare(of: run)
  }

  func endShare(of run: EffectRun) {
    if !run.endShare() { return }
    var scope: PerformScope?
    var isUnfinished = false
    if run.isRegistered {
      change { engine in
        // Nothing waits for an effect without an id, so no delivery delays the scope's release.
        if run.schedule == nil { scope = run.scope.take() }
        engine.end(run)
        isUnfinished = run.phase == .unfinished
      }
    } else if run.isScoped {
      change { _ in scope = run.scope.take() }
    }
    if !isUnfinished { run.releaseUserValues() }  // An unfinished effect is resumed with it.
    withExtendedLifetime(scope) {}
  }

  /// Calls a handler that belongs to the main actor, at once or later.
  private func call(
    of run: EffectRun, by calls: MainActorCalls, _ call: @escaping @MainActor @Sendable () -> Void
  ) {
    if calls.areMadeAtOnce { return calls.makeAtOnce(call) }
    var isMoved = false
    change { engine in isMoved = engine.beginCall(of: run) }
    if isMoved { calls.move(of: type(of: run.effect)) { self.make(call, of: run) } }
  }

  /// Makes a call that has waited for the main actor, unless its effect was canceled meanwhile.
  @MainActor
  private func make(_ call: @MainActor () -> Void, of run: EffectRun) {
    var isRevoked = false
    change { _ in isRevoked = run.isRevoked }
    if !isRevoked { call() }
    endShare(of: run)
  }

  /// Lists a task of an effect.
  func list(_ task: TaskID) {
    change { engine in engine.tasks?.insert(task) }
  }

  /// Makes a task for an asynchronous handler, unless the effect was canceled meanwhile.
  private func startTask(of run: EffectRun, by makeTask: (EffectRun) -> Task<Void, Never>) {
    if run.phase.isOver {
      endShare(of: run)
    } else if run.hasTask {
      change { engine in engine.add(makeTask(run), to: run) }
    } else {
      let task = makeTask(run)
      if run.add(task) { list(identity(of: task)) }
    }
  }
}

// MARK: - Time

extension EffectHost {
  /// Has one task sleep until the next deadline of a group.
  private func arm(_ group: EffectGroup?, _ engine: inout EffectEngine) {
    let late = group?.arm { number, deadline in
      Task.detached(executorPreference: timer.executor) { [timer] in
        var deadline: Duration? = deadline
        while let next = deadline {
          await timer.sleep(next)
          deadline = self.wake(group, number, atLeast: next)
        }
      }
    }
    if let late { engine.deferred.actions.append(.cancel(late)) }
  }

  /// Makes due the effects whose time has come; a sleeper that woke early sleeps again.
  private func wake(_ group: EffectGroup?, _ sleeper: Int, atLeast deadline: Duration) -> Duration?
  {
    guard let group else { return nil }
    let now = max(deadline, timer.elapsed())
    var next: Duration?
    change { engine in next = engine.wake(group, sleeper, at: now) }
    return next
  }
}
