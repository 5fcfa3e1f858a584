/// What a store's lock guards.
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

  /// The effects that last; nil where none ever do.
  var lasting: LastingEffects<State>?

  /// Whether handlers were looked for that run the effects of the first state.
  var hasCheckedFirstStays = false

  /// The last field, so that the offsets of the others do not depend on it.
  @usableFromInline var state: State

  @inlinable
  init(state: State, outbox: Outbox) {
    self.state = state
    work = PendingWork(outbox: outbox)
  }

  /// Adds a handler, which also runs what lasts already.
  @usableFromInline
  mutating func add(_ handler: AnyHandler, by thread: ThreadID) {
    work.handlers.append(handler)
    if let lasting { work.begin(lasting.stays, with: handler, by: thread) }
  }
}

/// What commits cause: the part of what a store's lock guards that doesn't depend on its state.
@usableFromInline
struct PendingWork: Sendable {
  @usableFromInline var handlers = Handlers()
  @usableFromInline var outbox: Outbox
  @usableFromInline var effects = EffectEngine()

  /// Calls the handlers of tracked effects; made with the first handler or scheduled effect.
  @usableFromInline var runner: EffectRunner?

  /// The calls that wait; made with the first one.
  @usableFromInline var waiters: Waiters?

  /// The number of the latest commit that is observed; the others' is never asked for.
  @usableFromInline var commits = 0

  /// Gives monitors what becomes of effects, if any of them watches that.
  var watchEffect: (@Sendable (EffectEvent) -> Void)?

  /// The calls on the main actor; made with the first subscriber or handler there.
  var mainActorCalls: MainActorCalls?

  /// What records the commits, if anything does.
  @usableFromInline var log: (any CommitLog)?

  /// The types of the latest intents, while a delivery that does not end is looked into.
  @usableFromInline var trace: [String]?

  @usableFromInline
  init(outbox: Outbox) {
    self.outbox = outbox
  }

  /// Whether nothing is going on.
  var isIdle: Bool { outbox.isIdle && effects.isIdle }
}

/// What a caller does after unlocking its store, in this order.
@usableFromInline
struct AfterUnlock: Sendable {
  /// Whether it finishes what was deferred.
  @usableFromInline let hasDeferred: Bool

  /// What it delivers first as the drainer, which is empty where deliveries are posted; or nil.
  @usableFromInline var batch: Batch?
}

extension PendingWork {
  /// What the caller, on `thread`, does after unlocking; nil if there is nothing to do.
  @inlinable
  mutating func afterUnlock(on thread: ThreadID) -> AfterUnlock? {
    outbox.queued.isEmpty && effects.deferred.isEmpty && effects.events.isEmpty && waiters == nil
      ? nil : takeDuties(of: thread)
  }

  @usableFromInline
  mutating func takeDuties(of thread: ThreadID) -> AfterUnlock? {
    if !effects.events.isEmpty { enqueueEvents(ofCommit: false, by: thread) }
    if outbox.count > 100_000 { effects.report(.growingOutbox) }
    if waiters != nil { completeWaiters() }
    let hasDeferred = deferToThread(thread)
    let batch = outbox.beginDraining(on: thread)
    return hasDeferred || batch != nil ? AfterUnlock(hasDeferred: hasDeferred, batch: batch) : nil
  }

  /// Leaves to the calling thread what was deferred; it finishes that after unlocking.
  @usableFromInline
  mutating func deferToThread(_ thread: ThreadID) -> Bool {
    if effects.deferred.isEmpty { return false }
    context(of: thread).take(&effects.deferred)
    return true
  }

  /// Enqueues the effects that are due for their turn.
  @usableFromInline
  mutating func enqueueDue(by thread: ThreadID) {
    if effects.due.isEmpty { return }
    for run in effects.due { outbox.append(.turn(run), by: thread) }
    effects.due.removeAll()
  }
}

extension Store {
  /// What calls the handlers of effects, made where there is none; called under the lock.
  @inlinable @discardableResult
  func prepareRunner(in core: inout Core<State>) -> EffectRunner {
    if let runner = core.work.runner { return runner }
    let store = Weak(self)
    let runner = EffectRunner(
      timer: timer, dispatch: { store.object?.dispatch($0, from: $1) },
      change: { store.object?.changeEffects($0) ?? false })
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
  /// - Returns: whether something was deferred that is left to the caller; not if it drains.
  @inlinable
  func changeEffects(_ change: EffectRunner.Change) -> Bool {
    let thread = currentThread()
    var next = core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }) { core in
      change(&core.work.effects)
      core.work.enqueueDue(by: thread)
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
    let state = core.withLock { $0.state }
    let effects = lasting.map { LastingEffects(in: state, $0) }
    core.withLock { core in
      core.lasting = effects
      core.isObserved = !monitors.isEmpty || effects != nil
      core.work.effects.problems = report.map { ProblemReport(to: $0) }
      if watching.isEmpty { return }
      core.work.effects.isWatched = true
      core.work.watchEffect = { event in for monitor in watching { monitor.observe(event) } }
    }
  }

  /// Ends what goes on when the store goes, and gives the log and the middleware the last state.
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
