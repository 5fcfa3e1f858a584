/// The data that a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var runtime: StoreRuntime
  @usableFromInline var subscribers = SlotList<Subscriber<State>>()

  /// Removes a subscriber; all subscriptions share it.
  @usableFromInline var removal: Removal?

  /// The companions and lasting effects; nil if there are none.
  @usableFromInline var company: Company<State>?

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
    if let lasting = company?.lasting { runtime.begin(lasting.active, with: handler, by: thread) }
  }

  /// Compares the lasting effects with those before the commit, and cancels those that ceased.
  ///
  /// - Returns: the changes, if any.
  @usableFromInline
  mutating func updateLastingEffects(of company: Company<State>) -> CommitDetails? {
    guard let lasting = company.lasting else { return nil }
    let change = lasting.update(
      for: state, commit: company.commits, &runtime.effects.deferred)
    for effect in change?.ceased ?? [] { runtime.effects.cancel(effect.key) }
    check(lasting, hasChanged: change != nil)
    return change
  }

  /// Enqueues the effects that the commit has started.
  @usableFromInline
  mutating func enqueueLastingEffects(of company: Company<State>, by thread: ThreadID) {
    let new = company.lasting?.active.filter { $0.since == company.commits }
    runtime.begin(new ?? [], by: thread)
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

  /// The part of its store's ``Company`` that doesn't depend on the type of the state.
  @usableFromInline var company: CommonCompany?

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

  /// The same, if effects need no handler; called under the lock.
  @_alwaysEmitIntoClient @inline(never)
  func prepareHost(for effects: [any Effect], in core: inout Core<State>) {
    if effects.contains(where: { isScheduling($0) }) { prepareHost(in: &core) }
  }

  /// Adds a handler; called under the lock.
  @_alwaysEmitIntoClient
  func add(_ handler: NewHandler, to core: inout Core<State>, by thread: ThreadID) {
    let handler = handler.made(for: prepareHost(in: &core)) { mainActorCalls(in: &core) }
    core.add(handler, by: thread)
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

  /// Ends all work when the store is released, and passes the last state to companions and middleware.
  @_alwaysEmitIntoClient
  func end() {
    let thread = currentThread()
    let (hasDeferred, hasCompany) = core.withLock(by: thread) { core in
      if core.runtime.host != nil { core.runtime.effects.cancelAll() }
      return (core.runtime.deferToThread(thread), core.company != nil)
    }
    if hasCompany || middleware != nil { handOutLastState() }
    if hasDeferred { finishDeferred(on: thread) }
  }

  @usableFromInline
  func handOutLastState() {
    let (state, company) = core.withLock { ($0.state, $0.company) }
    for companion in company?.companions ?? [] { companion.release(state, company?.commits ?? 0) }
    middleware?.api.detach(last: state)
  }
}
