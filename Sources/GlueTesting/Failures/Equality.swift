internal import Glue
internal import GlueLogging

/// Whether two values are the same for a test.
///
/// If they are `Equatable`, their `==` decides, unless it says that a value is not equal to itself,
/// as that of a NaN does; if not, their parts decide.
func isSame(_ a: Any, _ b: Any) -> Bool {
  if type(of: a) != type(of: b) { return false }
  if let a = a as? any Equatable, let result = equals(a, b) { return result }
  return stateDiff(a, b, limit: 0, work: 1_000_000).isEmpty
}

/// What differs between the state that a test expects and the actual one, a line for each part.
func differences<State>(_ expected: State, _ actual: State) -> [String] {
  if isSame(expected, actual) { return [] }
  return stateDiff(expected, actual, areUnequal: true).lines
}

private func equals<Value: Equatable>(_ a: Value, _ b: Any) -> Bool? {
  guard let b = b as? Value, a == a else { return nil }
  return a == b
}
