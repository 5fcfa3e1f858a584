internal import GlueDescribing

/// Whether two values are the same for a test.
///
/// If they are `Equatable`, their `==` decides, unless a value isn't equal to itself, such as NaN.
/// Otherwise their parts decide, each in the same way.
func isSame(_ a: Any, _ b: Any) -> Bool {
  stateDiff(a, b, limit: 0, work: 1_000_000).isEmpty
}

/// The differences between the expected state and the actual one, a line for each part.
func differences<State>(_ expected: State, _ actual: State) -> [String] {
  isSame(expected, actual) ? [] : stateDiff(expected, actual).lines
}
