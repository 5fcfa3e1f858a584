import Glue

/// The properties of a structure or a tuple, in order.
///
/// Weak and unowned references are not read, because that could stop the program. A
/// ``LooseReference`` takes their place.
package func properties(of value: Any, _ mirror: Mirror) -> [Mirror.Child] {
  let isPlain = mirror.displayStyle == .struct && !(value is any CustomReflectable)
  let loose = isPlain ? looseReferences(in: type(of: value), count: mirror.children.count) : [:]
  if loose.isEmpty { return Array(mirror.children) }
  return zip(mirror.children.indices, 0...).map { index, position in
    loose[position].map { ($0, LooseReference()) } ?? mirror.children[index]
  }
}

/// A reference that doesn't keep its object alive.
struct LooseReference: Equatable, CustomStringConvertible {
  var description: String { "(weak or unowned)" }
}

/// A cache: the weak and unowned references of each type looked up so far.
private let known = Locked<[ObjectIdentifier: [Int: String]]>([:])

/// The names of a structure's weak and unowned references, by their positions in it.
private func looseReferences(in type: Any.Type, count: Int) -> [Int: String] {
  if let found = known.withLock({ $0[ObjectIdentifier(type)] }) { return found }
  var loose: [Int: String] = [:]
  for index in 0..<count {
    var field = Field()
    _ = fieldType(of: type, index: index, &field)
    if !field.isStrong, let name = field.name { loose[index] = String(cString: name) }
    field.release?(field.name)
  }
  return known.withLock { [loose] known in
    known[ObjectIdentifier(type)] = loose
    return loose
  }
}

/// A stored property, as the runtime describes it.
private struct Field {
  var name: UnsafePointer<CChar>?
  var release: (@convention(c) (UnsafePointer<CChar>?) -> Void)?
  var isStrong = true
  var isVariable = false
}

// The runtime function that `Mirror` uses: no other says which references may be read. Sound
// because its declaration and the layout of its result match the standard library's.
@_silgen_name("swift_reflectionMirror_recursiveChildMetadata")
private func fieldType(
  of type: Any.Type, index: Int, _ field: UnsafeMutablePointer<Field>
) -> Any.Type
