/// Calls the handlers of a store's tracked effects.
///
/// The engine decides under the store's lock what is to be done; the runner does it unlocked. It
/// doesn't retain the store.
@usableFromInline
final class EffectRunner: Sendable {
  /// Reduces an intent that comes from an effect, unless that is cancelled.
  private let dispatch: @Sendable (any Intent, Origin) -> Void

  /// Changes the engine and the outbox under the store's lock, and drains what is enqueued.
  ///
  /// It leaves what is deferred to the caller, which then doesn't hold the store any more: a waiter
  /// that goes on may expect the store to go.
  private let changeStore: @Sendable (Change) -> Void

  @usableFromInline
  typealias Change = (inout EffectEngine, inout Outbox, ThreadID) -> Void

  let time: Timer
  let executor: (any TaskExecutor)?

  /// - Parameters:
  ///   - clock: what effects wait on.
  ///   - dispatch: reduces an intent, unless the store is gone.
  ///   - change: changes what the store's lock guards, unless the store is gone. Both are closures
  ///     that are formed where the store's type is known, so they are specialized for it.
  @usableFromInline
  init(
    clock: any Clock<Duration>, dispatch: @escaping @Sendable (any Intent, Origin) -> Void,
    change: @escaping @Sendable (Change) -> Void
  ) {
    self.dispatch = dispatch
    changeStore = change
    time = Timer(of: clock)
    let isCommon = type(of: clock) == ContinuousClock.self
    executor = isCommon ? nil : (clock as? any ExecutorOwning)?.executor
  }

  /// Has the engine decide something, and enqueues what is due then.
  func change(_ decide: (inout EffectEngine) -> [EffectRun]) {
    changeStore { engine, outbox, thread in
      for run in decide(&engine) { outbox.append(.turn(run), by: thread) }
    }
    finishDeferred(on: currentThread())
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
    let now = run.asksForTime ? time.elapsed() : nil
    var starts = false
    var groupHeldUp: EffectGroup?
    change { engine in
      starts = engine.beginTurn(of: run, at: now)
      groupHeldUp = engine.groupHeldUp(by: run)
      if run.asksForTime { arm(run.group, &engine) }
      return []
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
      return []
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
      change { engine in
        engine.end(run.origin)
        return []
      }
    }
  }

  /// Calls a handler that belongs to the main actor, at once or later.
  private func call(
    of run: EffectRun, by calls: MainActorCalls, _ call: @escaping @MainActor @Sendable () -> Void
  ) {
    if calls.areMadeAtOnce { return calls.makeAtOnce(call) }
    var isMoved = false
    change { engine in
      isMoved = engine.beginCall(of: run)
      return []
    }
    if isMoved { calls.move { self.make(call, of: run) } }
  }

  /// Makes a call that has waited for the main actor, unless its effect was cancelled meanwhile.
  @MainActor
  private func make(_ call: @MainActor () -> Void, of run: EffectRun) {
    var isRevoked = false
    change { _ in
      isRevoked = run.isRevoked
      return []
    }
    if !isRevoked { call() }
    endShare(of: run)
  }

  private func startTask(of run: EffectRun, _ work: @escaping HandlerBody, _ callback: Callback) {
    if run.phase.isOver { return endShare(of: run) }
    let task = makeTask { await self.do(work, of: run, callback) }
    if !run.add(task) { return }
    change { engine in
      engine.add(task, to: run)
      return []
    }
  }

  /// Even asking for no executor is not free, so that is done only where the clock has one.
  private func makeTask(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
    guard let executor else { return Task(operation: body) }
    return Task(executorPreference: executor, operation: body)
  }

  private func `do`(_ work: HandlerBody, of run: EffectRun, _ callback: Callback) async {
    run.noteTask()
    if let executor { (executor as? any EffectNoting)?.note(run.effect) }
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
      Task.detached(executorPreference: executor) { [time] in
        var deadline: Duration? = deadline
        while let next = deadline {
          await time.sleep(until: next)
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
    let now = max(deadline, time.elapsed())
    var next: Duration?
    change { engine in
      let (due, sleepUntil) = engine.wake(group, sleeper, at: now)
      next = sleepUntil
      return due
    }
    return next
  }
}
