public import Glue

// The forms that take typed reducers; what they promise is said where those for all intents are.

extension Recording {
  /// The commits in order, as a reducer of one type of intents makes them.
  public func steps<I: Intent>(
    reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) throws -> some Sequence<Step> {
    try steps(reducer: withKey(\.self, use: reducer))
  }

  /// The commits in order, as a reducer of one type of intents and one of effects makes them.
  public func steps<I: Intent, E: Effect>(
    reducer: @escaping @Sendable (inout State, I) -> [E]
  ) throws -> some Sequence<Step> {
    try steps(reducer: withKey(\.self, use: reducer))
  }

  /// The state after a commit, by a reducer of one type of intents.
  public func state<I: Intent>(
    at commit: Int, reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) throws -> State {
    try state(at: commit, reducer: withKey(\.self, use: reducer))
  }

  /// The state after a commit, by a reducer of one type of intents and one of effects.
  public func state<I: Intent, E: Effect>(
    at commit: Int, reducer: @escaping @Sendable (inout State, I) -> [E]
  ) throws -> State {
    try state(at: commit, reducer: withKey(\.self, use: reducer))
  }

  /// Compares what was recorded with what a reducer of one type of intents makes of it.
  public func verify<I: Intent>(
    reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) throws -> Divergence? {
    try verify(reducer: withKey(\.self, use: reducer))
  }

  /// Compares what was recorded with what a reducer of one type of intents and one of effects makes
  /// of it.
  public func verify<I: Intent, E: Effect>(
    reducer: @escaping @Sendable (inout State, I) -> [E]
  ) throws -> Divergence? {
    try verify(reducer: withKey(\.self, use: reducer))
  }
}
