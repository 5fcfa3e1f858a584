// What can be found out about values whose types are not known.

/// Whether the memory of two values of one type is the same: then so are they.
///
/// That holds for references to one object or one array's storage too. Equal values may differ in
/// memory.
func areSameInMemory<Value>(_ old: Value, _ new: Value) -> Bool {
  withUnsafeBytes(of: old) { old in
    withUnsafeBytes(of: new) { new in areSame(old, new, from: 0, from: 0, count: old.count) }
  }
}

/// Whether as many bytes of two buffers are the same; by words, which is ten times as fast.
func areSame(
  _ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, from i: Int, from j: Int, count: Int
) -> Bool {
  var done = 0
  while done + 8 <= count {
    let a = old.loadUnaligned(fromByteOffset: i + done, as: UInt64.self)
    if a != new.loadUnaligned(fromByteOffset: j + done, as: UInt64.self) { return false }
    done += 8
  }
  return (done..<count).allSatisfy { old[i + $0] == new[j + $0] }
}

/// Whether two values are of one type and the same in memory.
func areSameAndAlike(_ old: Any, _ new: Any) -> Bool {
  func areSame<Value>(_ old: Value) -> Bool {
    (new as? Value).map { areSameInMemory(old, $0) } ?? false
  }
  return areSame(old)
}

/// Whether two values of one type that have no parts are equal, or can't be told apart.
func areEqualLeaves(_ old: Any, _ new: Any) -> Bool {
  func areEqual<Value: Equatable>(_ old: Value) -> Bool {
    guard let new = new as? Value else { return false }
    return old == new
  }
  if let old = old as? any Equatable { return areEqual(old) }
  if let old = old as? Any.Type { return old == new as? Any.Type }
  return Mirror(reflecting: old).displayStyle != .enum
    || String(describing: old) == String(describing: new)
}

/// Whether it is one of the commonest types without parts, which saves looking for these.
func isScalar(_ type: Any.Type) -> Bool {
  type == Int.self || type == String.self || type == Bool.self || type == Double.self
}

/// Whether a value is one of the standard library's or Foundation's that are shown as a whole, such
/// as a duration or a date.
func describesItself(_ value: Any) -> Bool {
  guard value is any CustomStringConvertible else { return false }
  let type = String(reflecting: type(of: value))
  return type.hasPrefix("Swift.") || type.hasPrefix("Foundation")
}

/// Whether one value comes before the other, for an order that is the same in every run; the texts
/// decide where the values can't be compared.
func isBefore(_ a: Any, _ b: Any, orBy text: (Any) -> String) -> Bool {
  func isLess<Value: Comparable>(_ a: Value) -> Bool? {
    (b as? Value).map { a < $0 }
  }
  if let a = a as? any Comparable, let isLess = isLess(a) { return isLess }
  return text(a) < text(b)
}

/// The properties of a structure or a tuple, and those of an object with the inherited ones first.
func properties(_ mirror: Mirror) -> [Mirror.Child] {
  var children: [[Mirror.Child]] = []
  var next: Mirror? = mirror
  while let mirror = next {
    children.append(Array(mirror.children))
    next = mirror.superclassMirror
  }
  return Array(children.reversed().joined())
}

func elements(_ mirror: Mirror) -> [Any] {
  mirror.children.map(\.value)
}

func members(_ mirror: Mirror) -> [AnyHashable] {
  mirror.children.compactMap { $0.value as? AnyHashable }
}

func entries(_ mirror: Mirror) -> [AnyHashable: Any] {
  var entries: [AnyHashable: Any] = [:]
  for child in mirror.children {
    guard let (key, value) = child.value as? (AnyHashable, Any) else { continue }
    entries[key] = value
  }
  return entries
}
