/// Whether two values are known to be equal: they are not if their type is not `Equatable`.
func areEqual<Value>(_ a: Value, _ b: Value) -> Bool {
  func equals<E: Equatable>(_ a: E) -> Bool { a == b as? E }
  guard let a = a as? any Equatable else { return false }
  return equals(a)
}
