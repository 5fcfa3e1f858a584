internal import Foundation

/// Adds `mix(path, value)` for each leaf to a wrapping sum.
///
/// Only the order of arrays matters, because their indices are in the path.
struct DigestEncoder: PartEncoder {
  let digest: Digest
  var path: UInt64 = 0
  var depth: Int32 = 0
  var elements: Int32 = -1

  func member(_ key: String?) -> DigestEncoder { child(key.map(digestHash) ?? 4) }
  func element() -> DigestEncoder { child(UInt64(elements)) }
  func addNil() { mark(3) }

  func add<Value: Encodable>(_ value: Value, for key: String) throws {
    let before = digest.total
    try member(key).add(value)
    if depth == 1 && digest.properties.count < 16 {
      digest.properties.append((key, Int((digest.total &- before) >> 48)))
    }
  }

  func child(_ key: UInt64) -> DigestEncoder {
    DigestEncoder(digest: digest, path: mix(path, key), depth: depth)
  }

  /// The encoder of a container's content.
  ///
  /// The container counts even if it is empty.
  func opened(isKeyed: Bool) -> DigestEncoder {
    mark(2)
    digest.depth = max(digest.depth, Int(depth) + 1)
    return DigestEncoder(
      digest: digest, path: path, depth: depth + 1, elements: isKeyed ? -1 : 0)
  }

  func leaf(_ value: UInt64) {
    digest.total &+= mix(path, value)
    digest.leaves += 1
  }

  /// Adds what is no number, so that no number at the same path has its sum.
  private func mark(_ kind: UInt64) {
    DigestEncoder(digest: digest, path: ~path, depth: depth).leaf(kind)
  }

  /// Adds an element without a position, such as a member of a set.
  func apart(_ add: (DigestEncoder) throws -> Void) throws {
    let others = digest.total
    digest.total = 0
    try add(DigestEncoder(digest: digest, depth: depth))
    digest.total = others &+ mix(path, digest.total)
  }

  func add<Value: Encodable>(_ value: Value) throws {
    // The dynamic casts below take a third of a digest's time. Each bit cast is sound because the
    // types are the same.
    if Value.self == Int.self { return integer(unsafeBitCast(value, to: Int.self)) }
    if Value.self == Bool.self { return mark(unsafeBitCast(value, to: Bool.self) ? 1 : 0) }
    if Value.self == String.self { return text(unsafeBitCast(value, to: String.self)) }
    if Value.self == Double.self { return real(unsafeBitCast(value, to: Double.self)) }
    if depth > Digest.deepestLevel { throw tooDeep }
    switch value {
    case let value as any Unordered: return try value.add(to: opened(isKeyed: true))
    case let value as any BinaryInteger: return integer(value)
    case let value as any BinaryFloatingPoint: return real(value)
    // `JSONEncoder` writes these types differently from their own `encode(to:)`.
    case let value as Data: return leaf(value.withUnsafeBytes(digestHash))
    case let value as URL: return text(value.absoluteString)
    case let value as Decimal: return text(value.description)
    default: break
    }
    try value.encode(to: self)
  }

  private func integer(_ number: some BinaryInteger) {
    let low = UInt64(truncatingIfNeeded: number)
    leaf(number.bitWidth > 64 ? low ^ mix(1, UInt64(truncatingIfNeeded: number >> 64)) : low)
  }

  /// Adds a number.
  ///
  /// Both zeros are equal, and so are all NaNs, whose bits are not recorded.
  private func real(_ number: some BinaryFloatingPoint) {
    leaf(number == 0 ? 0 : number.isNaN ? 1 : Double(number).bitPattern)
  }

  private func text(_ text: String) { leaf(digestHash(text)) }
}

/// A collection whose elements encode in an arbitrary order.
private protocol Unordered {
  func add(to encoder: DigestEncoder) throws
}

extension Set: Unordered where Element: Encodable {
  fileprivate func add(to encoder: DigestEncoder) throws {
    for element in self { try encoder.apart { try $0.add(element) } }
  }
}

extension Dictionary: Unordered where Key: Encodable, Value: Encodable {
  fileprivate func add(to encoder: DigestEncoder) throws {
    for (key, value) in self {
      try encoder.apart {
        try $0.child(1).add(key)
        try $0.child(2).add(value)
      }
    }
  }
}

/// A bijection of the value for each path, so different leaves have equal sums no more often than
/// random numbers do.
@inline(__always)
private func mix(_ path: UInt64, _ value: UInt64) -> UInt64 {
  var bits = path ^ (value &* 0x9e37_79b9_7f4a_7c15)
  bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
  bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
  return bits ^ (bits >> 31)
}

private func digestHash(_ text: String) -> UInt64 {
  var text = text
  return text.withUTF8 { digestHash(UnsafeRawBufferPointer($0)) }
}

/// Returns a hash that is the same in every process, unlike `Hasher`'s.
private func digestHash(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
  var hash = UInt64(bytes.count)
  var index = 0
  while index + 8 <= bytes.count {
    hash = mix(hash, bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian)
    index += 8
  }
  var rest: UInt64 = 0
  for byte in bytes[index...] { rest = rest << 8 | UInt64(byte) }
  return mix(hash, rest)
}
