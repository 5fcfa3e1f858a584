import Glue

// Safe reflection of values of unknown types. Objects and actors are not reflected, because only
// they know when that is safe, and what they want to show.

/// A mirror of the parts that a value shows.
///
/// It is nil if a text shows the value: for an object, a value that describes itself, and one
/// without parts, such as a function.
///
/// Optionals, and sequences with a collection's mirror, show their parts although they describe
/// themselves.
package func shownParts(of value: Any) -> Mirror? {
  if type(of: value) is AnyClass || isScalar(type(of: value)) { return nil }
  let isText = describesItself(value)
  if isText, !(value is any Sequence || value is any ExpressibleByNilLiteral) { return nil }
  let mirror = Mirror(reflecting: value)
  switch mirror.displayStyle {
  case .optional, .collection, .set, .dictionary: return mirror
  case nil where !(value is any CustomReflectable): return nil
  default: return isText ? (value as? any Pairs)?.mirror : mirror
  }
}

private protocol Pairs {
  var mirror: Mirror { get }
}

extension KeyValuePairs: Pairs {
  fileprivate var mirror: Mirror {
    Mirror(self, unlabeledChildren: Array(self), displayStyle: .dictionary)
  }
}

/// Whether it is one of the most common types without parts, which needn't be reflected.
func isScalar(_ type: Any.Type) -> Bool {
  type == Int.self || type == String.self || type == Bool.self || type == Double.self
}

/// The value in an `AnyHashable`, or the value.
package func unwrapped(_ value: Any) -> Any {
  type(of: value) == AnyHashable.self ? (value as? AnyHashable)?.base ?? value : value
}

/// Whether it is nil, or an optional that holds nil.
package func isNil(_ value: Any) -> Bool {
  guard let mirror = shownParts(of: value), mirror.displayStyle == .optional else { return false }
  return mirror.children.first.map { isNil($0.value) } ?? true
}

func describesItself(_ value: Any) -> Bool {
  value is any CustomStringConvertible || value is any CustomDebugStringConvertible
}

/// The text of a value that shows no parts.
package func wholeText(of value: Any) -> String {
  if let type = value as? Any.Type { return "\(type).self" }
  if let text = exactText(of: value) { return text }
  return type(of: value) is AnyClass ? text(ofObject: value) : String(describing: value)
}

/// An object's own description, unless that is its address.
private func text(ofObject value: Any) -> String {
  let object = value as AnyObject
  let address = String(UInt(bitPattern: ObjectIdentifier(object)), radix: 16)
  if describesItself(value), case let text = String(describing: value), !text.contains(address) {
    return text
  }
  return "\(type(of: value)) #\(number(of: object))"
}

/// Whether two values of one type have the same bytes, so that they are equal.
package func areSameInMemory<Value>(_ old: Value, _ new: Value) -> Bool {
  withUnsafeBytes(of: old) { old in
    withUnsafeBytes(of: new) { areSameBytes(old.baseAddress, $0.baseAddress, count: old.count) }
  }
}

/// Whether two values are of one type and have the same bytes.
package func areSameAndAlike(_ old: Any, _ new: Any) -> Bool {
  func areSame<Value>(_ old: Value) -> Bool {
    (new as? Value).map { areSameInMemory(old, $0) } ?? false
  }
  return areSame(old)
}

/// Whether one value comes before the other, in an order that is the same in every run.
///
/// Their texts decide where the values can't be compared.
package func isBefore(_ a: Any, _ b: Any, orBy text: (Any) -> String) -> Bool {
  func isLess<Value: Comparable>(_ a: Value) -> Bool? {
    (b as? Value).flatMap { a < $0 ? true : $0 < a ? false : nil }
  }
  if let a = a as? any Comparable, let isLess = isLess(a) { return isLess }
  return text(a) < text(b)
}
