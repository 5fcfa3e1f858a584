/// The data that a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var work: PendingWork
  @usableFromInline var subscribers = SlotList<Subscriber<State>>()

  /// Removes a subscriber; all subscriptions share it.
  @usableFromInline var removal: Removal?

  /// Whether monitors, a journal, lasting effects or the search for an endless delivery need more
  /// of a commit than its deliveries.
  @usableFromInline var isObserved = false

  /// Whether nothing is delivered any more, because the journal is closed.
  @usableFromInline var isMute = false

  /// The lasting effects; nil if the store has no `lasting:`.
  var lasting: LastingEffects<State>?

  /// Whether the first state's lasting effects were checked for handlers.
  var hasCheckedFirstStays = false

  /// The last field, so that the offsets of the others don't depend on it.
  @usableFromInline var state: State

  @inlinable
  init(state: State, outbox: Outbox) {
    self.state = state
    work = PendingWork(outbox: outbox)
  }

  /// Adds a handler, and starts it for the current lasting effects.
  @usableFromInline
  mutating func add(_ handler: AnyHandler, by thread: ThreadID) {
    work.handlers.append(handler)
    if let lasting { work.begin(lasting.stays, with: handler, by: thread) }
  }
}

/// The part of the guarded data that doesn't depend on the type of the state.
@usableFromInline
struct PendingWork: Sendable {
  @usableFromInline var handlers = Handlers()
  @usableFromInline var outbox: Outbox
  @usableFromInline var effects = EffectEngine()

  /// Calls the handlers of tracked effects; made with the first handler or scheduled effect.
  @usableFromInline var runner: EffectRunner?

  /// The calls that wait; made with the first one.
  @usableFromInline var waiters: Waiters?

  /// The number of the latest observed commit; others are not counted.
  @usableFromInline var commits = 0

  /// Passes effects' events to monitors, if any monitor watches effects.
  @usableFromInline var watchEffect: (@Sendable (EffectEvent) -> Void)?

  /// The calls on the main actor; made with the first subscriber or handler there.
  var mainActorCalls: MainActorCalls?

  /// The log that records commits, if any.
  @usableFromInline var log: (any CommitLog)?

  /// The types of the latest intents, while a delivery that doesn't end is traced.
  @usableFromInline var trace: [String]?

  @usableFromInline
  init(outbox: Outbox) {
    self.outbox = outbox
  }

  /// Whether nothing is pending or in flight.
  var isIdle: Bool { outbox.isIdle && effects.isIdle }
}

extension Store {
  /// Returns the runner of effects, and creates the first one; called under the lock.
  @inlinable @discardableResult
  func prepareRunner(in core: inout Core<State>) -> EffectRunner {
    if let runner = core.work.runner { return runner }
    let store = Weak(self)
    let runner = EffectRunner(
      timer: timer, isWatched: core.work.watchEffect != nil,
      dispatch: { store.object?.dispatch($0, from: $1) },
      change: { store.object?.changeEffects($0, on: $1) ?? false })
    core.work.runner = runner
    return runner
  }

  /// The same, if effects need no handler; called under the lock.
  @inlinable @inline(never)
  func prepareRunner(for effects: [any Effect], in core: inout Core<State>) {
    if effects.contains(where: { isScheduling($0) }) { prepareRunner(in: &core) }
  }

  /// Changes the effects, and drains what is due then.
  ///
  /// - Returns: whether deferred work is left to the caller; false if it drains.
  @inlinable
  func changeEffects(_ change: EffectRunner.Change, on thread: ThreadID) -> Bool {
    var next = core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }) { core in
      change(&core.work.effects)
      return core.work.afterUnlock(on: thread)
    }
    if next?.batch == nil { return next?.hasDeferred == true }
    finish(next.take(), on: thread)
    return false
  }

  /// Adds what most stores do without: monitors that watch effects, lasting effects, and the search
  /// for problems.
  @usableFromInline
  func attach(
    _ monitors: [any Monitor<State>], _ lasting: (@Sendable (State) -> [LastingEffect])?,
    _ report: (@Sendable (Problem) -> Void)?
  ) {
    let watching = monitors.compactMap { $0 as? any EffectMonitor<State> }
    core.withLock { core in
      core.lasting = lasting.map { LastingEffects(in: core.state, $0) }
      core.isObserved = !monitors.isEmpty || lasting != nil
      core.work.effects.problems = report.map { ProblemReport(to: $0) }
      if watching.isEmpty { return }
      core.work.watchEffect = { event in for monitor in watching { monitor.observe(event) } }
    }
  }

  /// Ends all work when the store is released, and passes the last state to the log and middleware.
  @inlinable
  func end() {
    let thread = currentThread()
    let (hasDeferred, isRecorded) = core.withLock(by: thread) { core in
      if core.work.runner != nil { core.work.effects.cancelAll() }
      return (core.work.deferToThread(thread), core.work.log != nil)
    }
    if isRecorded || box != nil { handOutLastState() }
    if hasDeferred { finishDeferred(on: thread) }
  }

  @usableFromInline
  func handOutLastState() {
    let (state, commits, log) = core.withLock { ($0.state, $0.work.commits, $0.work.log) }
    log?.end(with: state, after: commits)
    box?.detach(last: state)
  }
}
