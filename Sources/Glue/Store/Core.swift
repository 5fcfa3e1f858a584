/// The data that a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var runtime: StoreRuntime
  @usableFromInline var subscribers = SlotList<Subscriber<State>>()

  /// Removes a subscriber; all subscriptions share it.
  @usableFromInline var removal: Removal?

  /// The lasting effects; nil if the store has no `lasting:`.
  var lasting: LastingEffects<State>?

  /// What accompanies each commit.
  @usableFromInline var companions: [Companion<State>] = []

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
    if let lasting { runtime.begin(lasting.active, with: handler, by: thread) }
  }

  /// Compares the lasting effects with those before the commit, and cancels those that ceased.
  ///
  /// - Returns: the changes, if any.
  @usableFromInline
  mutating func updateLastingEffects() -> LastingChange? {
    guard let lasting else { return nil }
    let change = lasting.update(
      for: state, commit: runtime.useCompany().commits, &runtime.effects.deferred)
    for effect in change?.ceased ?? [] { runtime.effects.cancel(effect.key) }
    if change != nil, let type = lasting.restlessType {
      runtime.effects.report(.renewedLastingEffect(type: "\(type)"))
    }
    if change != nil || !lasting.isChecked { checkForUnhandled(lasting) }
    return change
  }

  /// Checks whether the effects that have begun to last have a handler.
  ///
  /// The first ones are checked where the store begins. Without a block of handlers they are checked
  /// at the first commit, because handlers are added until then.
  mutating func checkForUnhandled(_ lasting: LastingEffects<State>) {
    let commits = runtime.company?.commits
    for active in lasting.active where active.since == commits || !lasting.isChecked {
      let effect = active.effect.effect
      if runtime.handlers.lastingRoute(for: effect).taskCount > 0 { continue }
      runtime.effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
    lasting.isChecked = true
  }

  /// Enqueues the effects that the commit has started.
  @usableFromInline
  mutating func enqueueLastingEffects(by thread: ThreadID) {
    let commits = runtime.company?.commits
    guard let new = lasting?.active.filter({ $0.since == commits }) else { return }
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

  /// The calls on the main actor; made with the first subscriber or handler there.
  var mainActorCalls: MainActorCalls?

  /// What the companions and lasting effects of a store need; nil if it has none.
  @usableFromInline var company: Company?

  @usableFromInline
  init(outbox: Outbox) {
    self.outbox = outbox
  }

  /// The journal's log, if any.
  var log: (any CommitLog)? { company?.log }

  /// Whether nothing is pending or in flight.
  var isIdle: Bool { outbox.isIdle && effects.isIdle }

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

// MARK: - Creating and ending a store

extension Store {
  /// Returns the host of effects, and creates the first one; called under the lock.
  @_alwaysEmitIntoClient @discardableResult
  func prepareHost(in core: inout Core<State>) -> EffectHost {
    if let host = core.runtime.host { return host }
    let store = Weak(self)
    let host = EffectHost(
      timer: timer, isWatched: core.runtime.effects.isWatched,
      dispatch: { store.object?.dispatch($0, from: $1) },
      change: { store.object?.changeEffects($0, on: $1) ?? false })
    core.runtime.host = host
    return host
  }

  /// Adds a handler; called under the lock.
  @_alwaysEmitIntoClient
  func add(_ handler: NewHandler, to core: inout Core<State>, by thread: ThreadID) {
    let handler = handler.make(prepareHost(in: &core)) { mainActorCalls(in: &core) }
    core.add(handler, by: thread)
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

  /// Adds what most stores do without: monitors, and the search for problems.
  @_alwaysEmitIntoClient
  func attach(_ monitors: [any Monitor<State>], _ report: (@Sendable (Problem) -> Void)?) {
    if let report { look(report: report) }
    if !monitors.isEmpty { core.withLock { $0.add(monitors) } }
  }

  /// Ends all work when the store is released, and passes the last state to the log and middleware.
  @_alwaysEmitIntoClient
  func end() {
    let thread = currentThread()
    let (hasDeferred, hasCompany) = core.withLock(by: thread) { core in
      if core.runtime.host != nil { core.runtime.effects.cancelAll() }
      return (core.runtime.deferToThread(thread), core.runtime.company != nil)
    }
    if hasCompany || middleware != nil { handOutLastState() }
    if hasDeferred { finishDeferred(on: thread) }
  }

  @usableFromInline
  func handOutLastState() {
    let (state, company) = core.withLock { ($0.state, $0.runtime.company) }
    if let company { company.log?.end(with: state, after: company.commits) }
    middleware?.api.detach(last: state)
  }
}
