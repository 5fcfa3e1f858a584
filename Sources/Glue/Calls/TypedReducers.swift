// The forms of a store's initializer for typed reducers; the general form documents what they
// promise.

extension Store {
  /// Creates a store with a reducer of one type of intents; others change nothing.
  @inlinable
  public convenience init<I: Intent>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil,
    delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (Problem) -> Void)? = nil
  ) {
    self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report)
  }

  /// Creates a store with a reducer of one type of intents and one of effects; others change
  /// nothing.
  @inlinable
  public convenience init<I: Intent, E: Effect>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [E],
    middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil,
    delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock(),
    report: (@Sendable (Problem) -> Void)? = nil
  ) {
    self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      lasting: lasting, delivery: delivery, clock: clock, report: report)
  }
}
