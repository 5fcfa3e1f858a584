/// The properties of a structure or a tuple, in order.
///
/// References that are weak or unowned are not read, which could stop the program: in their place
/// is a ``LooseReference``.
func properties(of value: Any, _ mirror: Mirror) -> [Mirror.Child] {
  if mirror.displayStyle != .struct || value is any CustomReflectable {
    return Array(mirror.children)
  }
  let loose = looseReferences(in: type(of: value), count: mirror.children.count)
  return zip(mirror.children.indices, 0...).map { index, number in
    guard let reference = loose[number] else { return mirror.children[index] }
    return (reference.name, LooseReference(bits: word(of: value, at: reference.offset)))
  }
}

/// A reference that does not keep its object alive.
struct LooseReference: Equatable, CustomStringConvertible {
  /// Differ if the objects do.
  fileprivate let bits: UInt

  var description: String { "(weak or unowned)" }
}

private func word(of value: Any, at offset: Int) -> UInt {
  func word<Value>(of value: Value) -> UInt {
    withUnsafeBytes(of: value) { $0.loadUnaligned(fromByteOffset: offset, as: UInt.self) }
  }
  return word(of: value)
}

/// What is known of each type that was asked for.
private let known = Guarded<[ObjectIdentifier: [Int: (name: String, offset: Int)]]>([:])

/// The names and offsets of a structure's weak and unowned references, by their places in it.
private func looseReferences(in type: Any.Type, count: Int) -> [Int: (name: String, offset: Int)] {
  if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
  var loose: [Int: (name: String, offset: Int)] = [:]
  for index in 0..<count {
    var field = Field()
    _ = fieldType(of: type, index: index, &field)
    defer { field.release?(field.name) }
    guard !field.isStrong, let name = field.name else { continue }
    loose[index] = (String(cString: name), fieldOffset(of: type, index: index))
  }
  known.withLock { [loose] in $0[ObjectIdentifier(type)] = loose }
  return loose
}

/// The runtime's answer about a stored property, laid out as `Mirror` has it.
private struct Field {
  var name: UnsafePointer<CChar>?
  var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = true
  var isVariable = false
}

// What `Mirror` asks the runtime itself, which alone tells a reference that may not be read from
// one that may. Sound because the declarations are those of the standard library.

@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(
  of type: Any.Type, index: Int, _ field: UnsafeMutablePointer<Field>
) -> Any.Type

@_silgen_name("swift_reflectionMirror_recursiveChildOffset")
private func fieldOffset(of type: Any.Type, index: Int) -> Int
