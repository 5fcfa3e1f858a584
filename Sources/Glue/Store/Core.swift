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

extension Core {
  /// Compares the lasting effects with those before the commit, and cancels those that ceased.
  @usableFromInline
  mutating func updateLastingEffects() -> LastingChange? {
    if lasting == nil { return nil }
    let change = lasting?.update(for: state, commit: work.commits, &work.effects.deferred)
    for effect in change?.ceased ?? [] { work.effects.cancel(effect.key) }
    if change != nil || !hasCheckedFirstStays { lookForUnhandledLastingEffects() }
    return change
  }

  /// The first state's effects are checked at the first intent, because handlers are added until
  /// then.
  private mutating func lookForUnhandledLastingEffects() {
    defer { hasCheckedFirstStays = true }
    for stay in lasting?.stays ?? [] where stay.since == work.commits || !hasCheckedFirstStays {
      let effect = stay.effect.effect
      if work.handlers.route(for: effect).taskCount > 0 { continue }
      work.effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
  }

  /// Enqueues the effects that the commit has started.
  @usableFromInline
  mutating func enqueueLastingEffects(by thread: ThreadID) {
    guard let new = lasting?.stays.filter({ $0.since == work.commits }) else { return }
    work.begin(new, by: thread)
  }
}
