/// The data that a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var runtime: StoreRuntime
  @usableFromInline var subscribers = SlotList<Subscriber<State>>()

  /// Removes a subscriber; all subscriptions share it.
  @usableFromInline var removal: Removal?

  /// The lasting effects; nil if the store has no `lasting:`.
  var lasting: LastingEffects<State>?

  /// The last field, so that the offsets of the others don't depend on its type.
  ///
  /// Code that isn't specialized would otherwise compute them at each use.
  @usableFromInline var state: State

  @_alwaysEmitIntoClient
  init(state: State, outbox: Outbox) {
    self.state = state
    runtime = StoreRuntime(outbox: outbox)
  }

  /// Adds a handler, and starts it for the current lasting effects.
  @usableFromInline
  mutating func add(_ handler: AnyHandler, by thread: ThreadID) {
    runtime.handlers.append(handler)
    if let lasting, runtime.hasBegun { runtime.begin(lasting.active, with: handler, by: thread) }
  }

  /// Compares the lasting effects with those before the commit, and cancels those that ceased.
  ///
  /// - Parameters:
  ///   - origin: that of the commit's intent.
  ///   - thread: the calling one.
  /// - Returns: the changes, if any.
  @usableFromInline
  mutating func updateLastingEffects(from origin: Origin?, by thread: ThreadID) -> LastingChange? {
    guard let lasting else { return nil }
    let change = lasting.update(for: state, commit: runtime.commits, &runtime.effects.deferred)
    for effect in change?.ceased ?? [] { runtime.effects.cancel(effect.key) }
    if change != nil, let type = lasting.restlessType {
      runtime.effects.report(.renewedLastingEffect(type: "\(type)"))
    }
    let isFirst =
      !lasting.isChecked && runtime.hasBegun && !runtime.causes(intentFrom: origin, by: thread)
    if isFirst || change != nil && lasting.isChecked { checkForUnhandled(lasting) }
    return change
  }

  /// Checks whether the effects that have begun to last have a handler.
  ///
  /// The first ones are checked where the store begins. Without a block of handlers they are checked
  /// at the first intent that the store itself doesn't cause, because handlers are added until then.
  mutating func checkForUnhandled(_ lasting: LastingEffects<State>) {
    for active in lasting.active where active.since == runtime.commits || !lasting.isChecked {
      let effect = active.effect.effect
      if runtime.handlers.lastingRoute(for: effect).taskCount > 0 { continue }
      runtime.effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
    lasting.isChecked = true
  }

  /// Enqueues the effects that the commit has started.
  @usableFromInline
  mutating func enqueueLastingEffects(by thread: ThreadID) {
    guard let new = lasting?.active.filter({ $0.since == runtime.commits }) else { return }
    runtime.begin(new, by: thread)
  }
}

/// The part of the guarded data that doesn't depend on the type of the state.
@usableFromInline
struct StoreRuntime: Sendable {
  @usableFromInline var handlers = Handlers()
  @usableFromInline var outbox: Outbox
  @usableFromInline var effects = EffectEngine()

  /// Calls the handlers of effects that the engine manages; made with the first handler or scheduled
  /// effect.
  @usableFromInline var host: EffectHost?

  /// The calls that wait; made with the first one.
  @usableFromInline var waiters: Waiters?

  /// Whether monitors, a journal, lasting effects or the search for an endless delivery need more
  /// of a commit than its deliveries.
  @usableFromInline var isObserved = false

  /// Whether nothing is delivered any more, because the journal is closed.
  @usableFromInline var isMute = false

  /// The number of the latest observed commit; others are not counted.
  @usableFromInline var commits = 0

  @usableFromInline
  init(outbox: Outbox) {
    self.outbox = outbox
  }

  /// The log that records commits, if any.
  @usableFromInline var log: (any CommitLog)? { effects.extras?.log }

  /// Whether the store has begun to deliver: not while its block of handlers runs.
  @usableFromInline var hasBegun: Bool { effects.extras?.heldBack == nil }

  /// Whether nothing is pending or in flight.
  var isIdle: Bool { outbox.isIdle && effects.isIdle }

  /// Whether the store itself causes an intent: by an effect, or within a delivery.
  func causes(intentFrom origin: Origin?, by thread: ThreadID) -> Bool {
    origin?.isEffect == true || outbox.isDrained(by: thread)
  }

  /// Enqueues new lasting effects, for all their handlers or for a new one.
  mutating func begin(
    _ lasting: [ActiveLastingEffect], with handler: AnyHandler? = nil, by thread: ThreadID
  ) {
    guard let host, effects.isOpen else { return }
    for active in lasting {
      let effect = active.effect.effect
      let added = handler.map { Route($0.isAsync && $0.handles(effect) ? [$0] : []) }
      let route = added ?? handlers.lastingRoute(for: effect)
      if route.taskCount > 0 {
        outbox.append(.turn(effects.begin(active, to: route, in: host)), by: thread)
      }
    }
  }
}

// MARK: - What observes commits

extension StoreRuntime {
  /// Lets the log, if any, write its next record before later entries are delivered.
  @usableFromInline
  mutating func enqueueRecord(by thread: ThreadID) {
    if let log { outbox.append(.record(log), by: thread) }
  }

  /// Passes on effects' events: to the log if they must happen, and to monitors that watch effects.
  @usableFromInline
  mutating func enqueueEvents(ofCommit isOfCommit: Bool, by thread: ThreadID) {
    let over = effects.events.filter(\.isDone).map(\.cause)
    // Once mute, it records none of their intents, so they happen again in the next process.
    if !over.isEmpty, !isMute, log?.append(over: over, isOfLast: isOfCommit) == true {
      enqueueRecord(by: thread)
    }
    if let observe = effects.extras?.observeEvent {
      for event in effects.events where event.isMonitored {
        outbox.append({ observe(event) }, by: thread)
      }
    }
    effects.events = []
  }

  /// The details of a commit, beside its effects, that monitors get; nil if there are none.
  @usableFromInline
  mutating func details(
    of emitted: [any Effect], _ change: LastingChange?
  ) -> CommitDetails? {
    let unhandled = emitted.indices.filter { !isHandled(emitted[$0]) }
    if change == nil && unhandled.isEmpty { return nil }
    return CommitDetails(
      began: change?.began ?? [], ceased: change?.ceased ?? [], unhandled: unhandled)
  }

  private mutating func isHandled(_ effect: any Effect) -> Bool {
    let inner = (effect as? ScheduledEffect)?.effect ?? effect
    return inner is CancelEffects || inner is Send || handlers.route(for: inner).isHandled
  }

  /// Records the type of an intent while a delivery that doesn't end is traced.
  @usableFromInline
  func trace(_ intent: any Intent) {
    effects.extras?.trace?.append("\(type(of: intent))")
  }

  /// Reports the intents that keep causing deliveries, once it has seen some more of them.
  mutating func checkForEndlessDelivery() {
    guard let drainer = outbox.drainer, let extras = effects.extras, extras.problems != nil else {
      return
    }
    if drainer.count <= Problem.manyDeliveries && (extras.trace != nil || !drainer.isLate) {
      return
    }
    if let intents = extras.trace, !intents.isEmpty {
      drainer.count = .min
      effects.report(.endlessDelivery(intents: distinct(intents)))
      endTrace()
    } else {
      drainer.count = Problem.manyDeliveries - 16
      if extras.trace != nil { return }
      (extras.trace, extras.observesForTrace) = ([], !isObserved)
      isObserved = true
    }
  }

  /// Ends the tracing of a delivery, and the observation of commits for it.
  mutating func endTrace() {
    guard let extras = effects.extras, extras.trace != nil else { return }
    if extras.observesForTrace { isObserved = false }
    (extras.trace, extras.observesForTrace) = (nil, false)
  }
}

/// Returns texts in order, without repetitions.
///
/// There are few, and a set of them would add 8 KB to a program.
private func distinct(_ texts: [String]) -> [String] {
  texts.reduce(into: []) { distinct, text in
    let index = distinct.firstIndex { $0 >= text } ?? distinct.endIndex
    if index == distinct.endIndex || distinct[index] != text { distinct.insert(text, at: index) }
  }
}

// MARK: - Creating and ending a store

extension Store {
  /// Returns the host of effects, and creates the first one; called under the lock.
  @_alwaysEmitIntoClient @discardableResult
  func prepareHost(in core: inout Core<State>) -> EffectHost {
    if let host = core.runtime.host { return host }
    let store = Weak(self)
    let host = EffectHost(
      timer: timer, isMonitored: core.runtime.effects.isMonitored,
      dispatch: { store.object?.dispatch($0, from: $1) },
      change: { store.object?.changeEffects($0, on: $1) ?? false })
    core.runtime.host = host
    return host
  }

  /// The same, if effects need no handler; called under the lock.
  @_alwaysEmitIntoClient @inline(never)
  func prepareHost(for effects: [any Effect], in core: inout Core<State>) {
    if effects.contains(where: { isScheduling($0) }) { prepareHost(in: &core) }
  }

  /// Changes the effects, and drains what is due then.
  ///
  /// - Returns: whether deferred work is left to the caller; false if it drains.
  @_alwaysEmitIntoClient
  func changeEffects(_ change: EffectHost.Change, on thread: ThreadID) -> Bool {
    let next = core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }) { core in
      change(&core.runtime.effects)
      return core.runtime.afterUnlock(on: thread)
    }
    if !next.drains { return next.hasDeferred }
    finish(next, on: thread)
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
    if let report { look(for: ProblemReport(to: report)) }
    core.withLock { core in
      core.lasting = lasting.map { LastingEffects(in: core.state, $0) }
      core.runtime.isObserved = !monitors.isEmpty || lasting != nil
      if watching.isEmpty { return }
      core.runtime.effects.useExtras().observeEvent = { event in
        for monitor in watching { monitor.observe(event) }
      }
    }
  }

  /// Ends all work when the store is released, and passes the last state to the log and middleware.
  @_alwaysEmitIntoClient
  func end() {
    let thread = currentThread()
    let (hasDeferred, isRecorded) = core.withLock(by: thread) { core in
      if core.runtime.host != nil { core.runtime.effects.cancelAll() }
      return (core.runtime.deferToThread(thread), core.runtime.log != nil)
    }
    if isRecorded || middleware != nil { handOutLastState() }
    if hasDeferred { finishDeferred(on: thread) }
  }

  @usableFromInline
  func handOutLastState() {
    let (state, commits, log) = core.withLock { ($0.state, $0.runtime.commits, $0.runtime.log) }
    log?.end(with: state, after: commits)
    middleware?.api.detach(last: state)
  }
}
