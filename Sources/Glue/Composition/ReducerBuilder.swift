/// Builds the list of reducers from the block of `combineReducers`.
@resultBuilder
public enum ReducerBuilder<State> {
  /// A line that is a reducer of all intents.
  @_alwaysEmitIntoClient
  public static func buildExpression(_ reducer: @escaping Reducer<State>) -> [Reducer<State>] {
    [watched(reducer)]
  }

  /// A line that is a reducer of one type of intents.
  @_alwaysEmitIntoClient
  public static func buildExpression<I: Intent>(
    _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) -> [Reducer<State>] {
    [erased(reducer)]
  }

  /// The lines of a block.
  @_alwaysEmitIntoClient
  public static func buildBlock(_ lines: [Reducer<State>]...) -> [Reducer<State>] {
    lines.flatMap(\.self)
  }

  /// A block without lines, which is probably a mistake.
  @available(*, deprecated, message: "no reducer is in this block, so it changes nothing")
  @_alwaysEmitIntoClient
  public static func buildBlock() -> [Reducer<State>] { [] }

  /// The lines of an `if` without `else`; none if the condition is false.
  @_alwaysEmitIntoClient
  public static func buildOptional(_ lines: [Reducer<State>]?) -> [Reducer<State>] {
    lines ?? []
  }

  /// The lines of an `if`, or of the first cases of a `switch`.
  @_alwaysEmitIntoClient
  public static func buildEither(first lines: [Reducer<State>]) -> [Reducer<State>] { lines }

  /// The lines of an `else`, or of other cases of a `switch`.
  @_alwaysEmitIntoClient
  public static func buildEither(second lines: [Reducer<State>]) -> [Reducer<State>] { lines }

  /// The lines of all iterations of a `for`.
  @_alwaysEmitIntoClient
  public static func buildArray(_ rounds: [[Reducer<State>]]) -> [Reducer<State>] {
    rounds.flatMap(\.self)
  }

  /// The lines of an `if #available`.
  @_alwaysEmitIntoClient
  public static func buildLimitedAvailability(_ lines: [Reducer<State>]) -> [Reducer<State>] {
    lines
  }

  /// The combined reducer.
  @_alwaysEmitIntoClient
  public static func buildFinalResult(_ lines: [Reducer<State>]) -> Reducer<State> {
    { state, intent in
      note(.entry)
      var effects: [any Effect] = []
      for reducer in lines { concatenate(reducer(&state, intent), to: &effects) }
      return effects
    }
  }
}
