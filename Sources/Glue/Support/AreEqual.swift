/// Whether two values are known to be equal: values whose type is not `Equatable` never are.
package func areEqual<Value>(_ a: Value, _ b: Value) -> Bool {
  equality(a, b) ?? false
}

/// Whether two values of one type are equal; nil if their type is not `Equatable`.
package func equality<Value>(_ a: Value, _ b: Value) -> Bool? {
  func equals<E: Equatable>(_ a: E) -> Bool { a == b as? E }
  if let a = a as? any Equatable { return equals(a) }
  return (a as? Any.Type).map { $0 == b as? Any.Type }
}
