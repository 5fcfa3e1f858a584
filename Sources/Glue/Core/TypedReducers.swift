extension Store {
  /// Makes a store from a reducer of one type of intents, so that its `switch` is exhaustive.
  ///
  /// Intents of other types change nothing and have no effects.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - delivery: where subscribers and effect handlers are called.
  @inlinable
  public convenience init<I: Intent>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    delivery: Delivery = .immediate
  ) {
    self.init(state: state, reducer: erased(reducer), delivery: delivery)
  }

  /// Makes a store from a reducer of one type of intents and one type of effects.
  ///
  /// Intents of other types change nothing and have no effects.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - delivery: where subscribers and effect handlers are called.
  @inlinable
  public convenience init<I: Intent, E: Effect>(
    state: State,
    reducer: @escaping @Sendable (inout State, I) -> [E],
    delivery: Delivery = .immediate
  ) {
    self.init(state: state, reducer: erased(reducer), delivery: delivery)
  }

  /// Makes a store from a reducer of all intents that has one type of effects.
  ///
  /// It is disfavoured because a closure that returns one type of effects fits the erased form too.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - delivery: where subscribers and effect handlers are called.
  @inlinable @_disfavoredOverload
  public convenience init<E: Effect>(
    state: State,
    reducer: @escaping @Sendable (inout State, any Intent) -> [E],
    delivery: Delivery = .immediate
  ) {
    self.init(state: state, reducer: erased(reducer), delivery: delivery)
  }
}
