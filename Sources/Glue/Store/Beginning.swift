// Stores that are made with their handlers, so that everything begins at one instant.

extension Store {
  /// Creates a store with the handlers that a block adds.
  ///
  ///     let store = Store(
  ///       state: Tower(), reducer: tower, lasting: watching,
  ///       first: [TowerIntent.began],
  ///       handlers: { handlers in
  ///         handlers.on(WatchEffect.self) { effect, dispatch in await watch(effect, dispatch) }
  ///         handlers.add(effectHandler: AlarmHandler())
  ///       })
  ///
  /// Use this form where effects can begin before the first intent from outside: with `lasting:`,
  /// and with a journal. Otherwise the first effects can miss handlers that later lines add.
  ///
  /// The block runs before there is a store. Then, at one instant:
  ///
  /// 1. The `first` intents are reduced, in order. Use them for what a recovered state can't know.
  ///    They come from outside, and don't pass the middleware, so they can't be thunks.
  /// 2. Their effects begin, in order, and the effects that last now. With a journal, the effects that
  ///    an earlier process hasn't finished are last.
  ///
  /// A handler reports back by its callback. To show the state, subscribe to the store that is
  /// returned: a subscriber begins with the state at its subscription.
  ///
  /// Write the label. The block can also be a trailing closure, but the compiler can take that for
  /// `lasting:` or `report:`.
  ///
  /// The other parameters are those of
  /// ``init(state:reducer:middleware:monitors:lasting:delivery:clock:report:)-(_,Reducer<State>,_,_,_,_,_,_)``.
  ///
  /// - Throws: the block's error. Then there is no store.
  @_alwaysEmitIntoClient
  public convenience init(
    state: State, reducer: @escaping Reducer<State>, middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    first: [any Intent] = [], handlers: (EffectHandlers) throws -> Void
  ) rethrows {
    let handlers = try EffectHandlers(handlers)
    self.init(
      state: state, reducer: reducer, middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report, first: first,
      handlers: handlers)
  }

  /// Creates a store with a reducer of one type of intents, and with the handlers that a block adds.
  ///
  /// Other intents change nothing.
  @_alwaysEmitIntoClient
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(), report: (@Sendable (Problem) -> Void)? = nil,
    first: [any Intent] = [], handlers: (EffectHandlers) throws -> Void
  ) rethrows {
    try self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report, first: first,
      handlers: handlers)
  }
}

extension Store {
  /// Begins everything, in one critical section.
  ///
  /// Until it has ended, nothing is written, delivered or started. Companions come first, the log before
  /// monitors, so that they see the first intents.
  ///
  /// - Returns: what follows once the store is complete.
  @_alwaysEmitIntoClient
  func begin(
    _ first: [any Intent], with handlers: EffectHandlers?, _ monitors: [any Monitor<State>],
    _ lasting: (@Sendable (State) -> [LastingEffect])?, _ start: LogStart?, on thread: ThreadID
  ) -> AfterUnlock {
    let next = core.withLock(by: thread) { core in
      if let start { core.add(start) }
      if !monitors.isEmpty { core.add(monitors) }
      if let start { prepareHost(in: &core).add(start, to: &core.runtime.effects) }
      for handler in handlers?.all ?? [] { add(handler, to: &core, by: thread) }
      for intent in first { commit(intent, from: nil, in: &core, by: thread) }
      core.beginEffects(lasting, isComplete: handlers != nil, by: thread)
      return core.runtime.afterUnlock(on: thread)
    }
    if let start { begun(with: start) }
    return next
  }

  @usableFromInline
  func begun(with start: LogStart) { start.onBegin(self) }
}

extension Core {
  /// Begins the lasting effects, and after them those that an earlier process has left.
  @usableFromInline
  mutating func beginEffects(
    _ select: (@Sendable (State) -> [LastingEffect])?, isComplete: Bool, by thread: ThreadID
  ) {
    if let select {
      let lasting = LastingEffects(in: state, select)
      useCompany().lasting = lasting
      if isComplete { checkForUnhandled(lasting) }
      runtime.begin(lasting.active, by: thread)
    }
    runtime.resumeEffects()
    if isComplete { runtime.checkForUnhandledLeftovers() }
  }
}

extension StoreRuntime {
  /// Starts the effects that must happen and wait for a handler, if they have one.
  @usableFromInline
  mutating func resumeEffects() {
    if effects.unfinished.isEmpty { return }
    guard let log, let host else { return }
    host.resume(at: log.now, with: &handlers, &effects)
  }
}

extension EffectHost {
  /// Adds what an earlier process has left.
  @usableFromInline
  func add(_ start: LogStart, to engine: inout EffectEngine) {
    for effect in start.unfinished { add(effect, to: &engine) }
  }
}
