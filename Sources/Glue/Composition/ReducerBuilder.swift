/// Builds a reducer from the block of `combineReducers`.
@resultBuilder
public enum ReducerBuilder<State> {
  /// A line that is a reducer, of all intents or of one type.
  @_alwaysEmitIntoClient
  public static func buildExpression<I: AnyIntent>(
    _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
  ) -> Reducer<State> {
    erased(reducer)
  }

  /// A block without lines, which is an error.
  @available(*, unavailable, message: "a block of combineReducers needs a reducer")
  public static func buildBlock() -> Reducer<State> { combined([]) }

  /// The first line of a block.
  @_alwaysEmitIntoClient
  public static func buildPartialBlock(first: @escaping Reducer<State>) -> Reducer<State> { first }

  /// The lines before a line, and that one.
  @_alwaysEmitIntoClient
  public static func buildPartialBlock(
    accumulated: @escaping Reducer<State>, next: @escaping Reducer<State>
  ) -> Reducer<State> {
    both(accumulated, next)
  }

  /// The lines of an `if` without `else`; none if the condition is false.
  @_alwaysEmitIntoClient
  public static func buildOptional(_ lines: Reducer<State>?) -> Reducer<State> {
    lines ?? combined([])
  }

  /// The lines of an `if`, or of the first cases of a `switch`.
  @_alwaysEmitIntoClient
  public static func buildEither(first lines: @escaping Reducer<State>) -> Reducer<State> { lines }

  /// The lines of an `else`, or of other cases of a `switch`.
  @_alwaysEmitIntoClient
  public static func buildEither(second lines: @escaping Reducer<State>) -> Reducer<State> { lines }

  /// The lines of all iterations of a `for`.
  @_alwaysEmitIntoClient
  public static func buildArray(_ rounds: [Reducer<State>]) -> Reducer<State> {
    combined(rounds[...])
  }
}
