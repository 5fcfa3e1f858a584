extension Store {
  /// Makes a store from a reducer of one type of intents, so that its `switch` is exhaustive.
  ///
  /// Intents of other types change nothing and have no effects.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: are told of every commit.
  ///   - delivery: where subscribers and effect handlers are called.
  ///   - clock: what effects with a policy wait on.
  @inlinable
  public convenience init<I: Intent>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      delivery: delivery, clock: clock)
  }

  /// Makes a store from a reducer of one type of intents and one type of effects.
  ///
  /// Intents of other types change nothing and have no effects.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: are told of every commit.
  ///   - delivery: where subscribers and effect handlers are called.
  ///   - clock: what effects with a policy wait on.
  @inlinable
  public convenience init<I: Intent, E: Effect>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [E],
    middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      delivery: delivery, clock: clock)
  }

  /// Makes a store from a reducer of all intents that has one type of effects.
  ///
  /// It is disfavoured because a closure that returns one type of effects fits the erased form too.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - monitors: are told of every commit.
  ///   - delivery: where subscribers and effect handlers are called.
  ///   - clock: what effects with a policy wait on.
  @inlinable @_disfavoredOverload
  public convenience init<E: Effect>(
    state: State,
    reducer: @escaping @Sendable (inout State, any Intent) -> [E],
    middleware: [Middleware<State>] = [],
    monitors: [any Monitor<State>] = [],
    delivery: Delivery = .immediate,
    clock: any Clock<Duration> = ContinuousClock()
  ) {
    self.init(
      state: state, reducer: erased(reducer), middleware: middleware, monitors: monitors,
      delivery: delivery, clock: clock)
  }
}
