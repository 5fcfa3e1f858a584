/// Calls the handlers of a store's effects that are scheduled, have tasks, or are waited for.
///
/// What is to be done the engine decides, under the store's lock; it is done here, unlocked. The
/// runner does not keep the store alive.
@usableFromInline
final class EffectRunner: Sendable {
  let store: EffectHost
  let time: Timekeeper
  let executor: (any TaskExecutor)?

  @usableFromInline
  init(store: EffectHost, clock: any Clock<Duration>) {
    self.store = store
    time = Timekeeper(of: clock)
    let isCommon = type(of: clock) == ContinuousClock.self
    executor = isCommon ? nil : (clock as? any ExecutorOwning)?.executor
  }

  /// Has the engine decide something, gives those their turn that are due then, and does the rest.
  private func giveTurns(_ decide: (inout EffectEngine) -> [Run]) {
    var leftovers = store.change { engine, outbox, thread in
      queueTurns(of: decide(&engine), in: &outbox, by: thread)
    }
    leftovers.finish()
  }

  /// Queues effects for their turn; called under the store's lock.
  func queueTurns(of runs: [Run], in outbox: inout Outbox, by thread: ThreadID) {
    for run in runs { outbox.append(.turn(PlaceInQueue(of: run, in: self)), by: thread) }
  }

  /// Has the engine decide something, and does the rest.
  func change(_ decide: (inout EffectEngine) -> Void) {
    var leftovers = store.change { engine, _, _ in decide(&engine) }
    leftovers.finish()
  }
}

// MARK: - What happens to an effect

extension EffectRunner {
  /// Delivers an effect without a policy, emitted just now or queued before, to its handlers.
  func deliver(_ run: Run, isNew: Bool = false) {
    var startsTasks = false
    if run.taskCount > 0 || run.isWatched || run.callsMainActor || run.mustHappen {
      change { engine in startsTasks = engine.startNow(run, isNew: isNew) }
    }
    call(run, startsTasks: startsTasks)
    if startsTasks {
      giveTurns { engine in engine.ended(run) }
    } else if run.mustHappen {
      change { engine in engine.endUnstarted(run) }
    } else if run.origin.isPartOfActivity {
      change { engine in engine.end(run.origin) }
    }
  }

  /// Starts asynchronous work that no effect describes.
  @usableFromInline
  func start(_ work: AsyncWork, from origin: Origin) {
    deliver(work.run(from: origin), isNew: true)
  }

  /// Lets a scheduled effect whose turn has come start or wait, unless it was cancelled.
  func takeTurn(_ run: Run) {
    let now = run.asksForTime ? time.elapsed() : nil
    var starts = false
    var groupHeldUp: Group?
    change { engine in
      starts = engine.beginTurn(of: run, at: now)
      groupHeldUp = engine.groupHeldUp(by: run)
      if run.asksForTime { arm(run.group, &engine) }
    }
    if let groupHeldUp { watchForHoldUp(of: groupHeldUp) }
    if !starts { return }
    call(run, startsTasks: run.taskCount > 0)
    giveTurns { engine in engine.ended(run) }
  }

  /// Calls the synchronous handlers of an effect and starts the tasks of the others, in order.
  private func call(_ run: Run, startsTasks: Bool) {
    let callback = Callback { [store, origin = run.origin] in store.dispatch($0, origin) }
    for handler in run.handlers {
      switch handler.work {
      case .sync(let handle):
        handle(run.effect, callback)
      case .mainActor(let calls, let work):
        if handler.handles(run.effect) {
          self.call(of: run, by: calls) { work(run.effect, callback.dispatch) }
        }
      case .async(let work):
        if startsTasks, handler.handles(run.effect) { startTask(of: run, work, callback) }
      }
    }
  }

  /// Calls a handler that belongs to the main actor, at once or later.
  private func call(
    of run: Run, by calls: MainActorCalls, _ call: @escaping @MainActor @Sendable () -> Void
  ) {
    if calls.areMadeAtOnce { return calls.makeAtOnce(call) }
    var isLeft = false
    change { engine in isLeft = engine.beginCall(of: run) }
    if isLeft { calls.move { self.make(call, of: run) } }
  }

  /// Makes a call that has waited for the main actor, unless its effect was cancelled meanwhile.
  @MainActor
  private func make(_ call: @MainActor () -> Void, of run: Run) {
    var isRevoked = false
    change { _ in isRevoked = run.isRevoked }
    if !isRevoked { call() }
    giveTurns { engine in engine.taskEnded(of: run) }
  }

  private func startTask(of run: Run, _ work: @escaping Work, _ callback: Callback) {
    giveTurns { engine in
      engine.startTask(of: run) { makeTask(of: run, work, callback) }
    }
  }

  /// Even asking for no executor is not free, so that is done only where the clock has one.
  private func makeTask(
    of run: Run, _ work: @escaping Work, _ callback: Callback
  ) -> Task<Void, Never> {
    guard let executor else { return Task { await self.do(work, of: run, callback) } }
    return Task(executorPreference: executor) { await self.do(work, of: run, callback) }
  }

  private func `do`(_ work: Work, of run: Run, _ callback: Callback) async {
    if run.schedule != nil {
      await EnclosingEffect.$innermost.withValue(EnclosingEffect(run: run, of: self)) {
        await work(run.effect, callback.dispatch)
      }
    } else {
      await work(run.effect, callback.dispatch)
    }
    giveTurns { engine in engine.taskEnded(of: run) }
  }

  /// Ends an effect whose turn never comes.
  func lostTurn(of run: Run) {
    giveTurns { engine in engine.lose(run) }
  }
}

/// The method of an asynchronous handler.
private typealias Work = @Sendable (any Effect, @escaping DispatchFunc) async -> Void

// MARK: - Time

extension EffectRunner {
  /// Has one task sleep until something of a group is due.
  private func arm(_ group: Group?, _ engine: inout EffectEngine) {
    let late = group?.arm { number, deadline in
      Task(executorPreference: executor) { [time] in
        var deadline: Duration? = deadline
        while let next = deadline {
          await time.sleep(until: next)
          deadline = self.wake(group, number, atLeast: next)
        }
      }
    }
    if let late { engine.leftovers.append(.task(late)) }
  }

  /// Gives those their turn that are due; a sleep may end early, but not in vain.
  ///
  /// - Returns: until when to sleep again.
  private func wake(_ group: Group?, _ sleeper: Int, atLeast deadline: Duration) -> Duration? {
    guard let group else { return nil }
    let now = max(deadline, time.elapsed())
    var sleepUntil: Duration?
    giveTurns { engine in
      let (due, next) = engine.wake(group, sleeper, at: now)
      sleepUntil = next
      return due
    }
    return sleepUntil
  }
}
