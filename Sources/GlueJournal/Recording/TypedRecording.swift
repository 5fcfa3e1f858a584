public import Glue

// The forms for typed reducers. The forms that take any intent document what they promise.

extension Recording {
  /// Replays the commits with a reducer of one type of intents.
  public func steps<I: Intent>(
    reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) throws -> some Sequence<Step> {
    try steps(reducer: reduce(reducer))
  }

  /// Returns the state after a commit, by a reducer of one type of intents.
  public func state<I: Intent>(
    at commit: Int, reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) throws -> State {
    try state(at: commit, reducer: reduce(reducer))
  }

  /// Verifies the records with a reducer of one type of intents.
  public func verify<I: Intent>(
    reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) throws -> Divergence? {
    try verify(reducer: reduce(reducer))
  }
}
