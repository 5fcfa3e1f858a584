/// Calls the handlers of a store's tracked effects.
///
/// The engine decides under the store's lock what is to be done; the runner does it unlocked. It
/// doesn't retain the store.
@usableFromInline
final class EffectRunner: Sendable {
  /// Reduces an intent that comes from an effect, unless that is cancelled.
  private let dispatch: @Sendable (any Intent, Origin) -> Void

  /// Changes the engine under the store's lock, and drains what is due then.
  ///
  /// It leaves what is deferred to the caller, which then doesn't hold the store any more: a waiter
  /// that goes on may expect the store to go.
  ///
  /// - Returns: whether something was deferred.
  private let changeStore: @Sendable (Change) -> Bool

  @usableFromInline
  typealias Change = (inout EffectEngine) -> Void

  let timer: any Timer

  /// - Parameters:
  ///   - timer: what effects wait on.
  ///   - dispatch: reduces an intent, unless the store is gone.
  ///   - change: changes what the store's lock guards, unless the store is gone. Both are closures
  ///     that are formed where the store's type is known, so they are specialized for it.
  @usableFromInline
  init(
    timer: any Timer, dispatch: @escaping @Sendable (any Intent, Origin) -> Void,
    change: @escaping @Sendable (Change) -> Bool
  ) {
    self.timer = timer
    self.dispatch = dispatch
    changeStore = change
  }

  func change(_ body: Change) {
    if changeStore(body) { finishDeferred(on: currentThread()) }
  }
}

// MARK: - An effect's turn

extension EffectRunner {
  /// Starts an effect whose turn has come or has it wait, unless it was cancelled.
  ///
  /// An effect without a policy starts without the lock: nothing but a shutdown cancels it.
  func takeTurn(of run: EffectRun) {
    let starts = run.schedule == nil && !run.isWatched ? run.start() : beginTurn(of: run)
    if starts { call(run) }
  }

  private func beginTurn(of run: EffectRun) -> Bool {
    let now = run.asksForTime ? timer.elapsed() : nil
    var starts = false
    var groupHeldUp: EffectGroup?
    change { engine in
      starts = engine.beginTurn(of: run, at: now)
      if engine.problems != nil { groupHeldUp = engine.groupHeldUp(by: run) }
      if run.asksForTime { arm(run.group, &engine) }
    }
    if let groupHeldUp { watchForHoldUp(of: groupHeldUp) }
    return starts
  }

  /// Ends an effect whose turn never comes.
  func loseTurn(of run: EffectRun) {
    change { engine in engine.lose(run) }
  }

  /// Starts asynchronous work that no effect describes, unless the store takes no effects any more.
  @usableFromInline
  func start(_ work: AsyncWork, from origin: Origin) {
    let run = EffectRun(work, to: work.route, from: origin, in: self)
    change { engine in
      if engine.isOpen { engine.add(run) }
      run.isWatched = engine.isWatched
    }
    if run.index != nil { takeTurn(of: run) }
  }

  /// Calls the synchronous handlers of an effect and starts the tasks of the others, in order.
  private func call(_ run: EffectRun) {
    let callback = Callback { [dispatch, origin = run.origin] in dispatch($0, origin) }
    for handler in run.route.handlers {
      switch handler.work {
      case .sync(let handle): handle(run.effect, callback)
      case .mainActor(let calls, let work):
        call(of: run, by: calls) { work(run.effect, callback.dispatch) }
      case .async(let work): if run.startsTasks { startTask(of: run, work, callback) }
      }
    }
    endShare(of: run)
  }

  private func endShare(of run: EffectRun) {
    if !run.endShare() { return }
    if run.isTracked {
      change { engine in engine.end(run) }
    } else if run.origin.isPartOfActivity {
      change { engine in engine.end(run.origin) }
    }
  }

  /// Calls a handler that belongs to the main actor, at once or later.
  private func call(
    of run: EffectRun, by calls: MainActorCalls, _ call: @escaping @MainActor @Sendable () -> Void
  ) {
    if calls.areMadeAtOnce { return calls.makeAtOnce(call) }
    var isMoved = false
    change { engine in isMoved = engine.beginCall(of: run) }
    if isMoved { calls.move { self.make(call, of: run) } }
  }

  /// Makes a call that has waited for the main actor, unless its effect was cancelled meanwhile.
  @MainActor
  private func make(_ call: @MainActor () -> Void, of run: EffectRun) {
    var isRevoked = false
    change { _ in isRevoked = run.isRevoked }
    if !isRevoked { call() }
    endShare(of: run)
  }

  private func startTask(of run: EffectRun, _ work: @escaping HandlerBody, _ callback: Callback) {
    if run.phase.isOver { return endShare(of: run) }
    let body = { @Sendable in await self.do(work, of: run, callback) }
    // Even asking for no executor is not free.
    let task =
      timer.executor.map { Task(executorPreference: $0, operation: body) } ?? Task(operation: body)
    if run.add(task) { change { engine in engine.add(task, to: run) } }
  }

  private func `do`(_ work: HandlerBody, of run: EffectRun, _ callback: Callback) async {
    run.noteTask()
    if let executor = timer.executor { (executor as? any EffectNoting)?.note(run.effect) }
    if run.schedule == nil {
      await work(run.effect, callback.dispatch)
    } else {
      await EnclosingEffect.$innermost.withValue(EnclosingEffect(run: run, of: self)) {
        await work(run.effect, callback.dispatch)
      }
    }
    endShare(of: run)
  }
}

/// The method of an asynchronous handler.
private typealias HandlerBody = @Sendable (any Effect, @escaping DispatchFunc) async -> Void

// MARK: - Time

extension EffectRunner {
  /// Has one task sleep until something of a group is due.
  private func arm(_ group: EffectGroup?, _ engine: inout EffectEngine) {
    let late = group?.arm { number, deadline in
      Task.detached(executorPreference: timer.executor) { [timer] in
        var deadline: Duration? = deadline
        while let next = deadline {
          await timer.sleep(until: next)
          deadline = self.wake(group, number, atLeast: next)
        }
      }
    }
    if let late { engine.deferred.append(.cancel(late)) }
  }

  /// Makes due what is; a sleeper that wakes early sleeps again until the next deadline.
  ///
  /// - Returns: the next deadline, if any.
  private func wake(_ group: EffectGroup?, _ sleeper: Int, atLeast deadline: Duration) -> Duration?
  {
    guard let group else { return nil }
    let now = max(deadline, timer.elapsed())
    var next: Duration?
    change { engine in next = engine.wake(group, sleeper, at: now) }
    return next
  }
}
