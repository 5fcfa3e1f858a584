internal import GlueLogging

/// Whether two values are the same for a test.
///
/// If they are `Equatable`, their `==` decides, unless it says that a value is not equal to itself,
/// as that of a NaN does; if not, their parts decide, each in the same way.
func isSame(_ a: Any, _ b: Any) -> Bool {
  stateDiff(a, b, limit: 0, work: 1_000_000).isEmpty
}

/// What differs between the state that a test expects and the actual one, a line for each part.
func differences<State>(_ expected: State, _ actual: State) -> [String] {
  isSame(expected, actual) ? [] : stateDiff(expected, actual).lines
}
