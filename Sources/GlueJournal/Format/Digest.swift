internal import Foundation

/// Tells states apart by what they encode, the same in every process: elements of sets and
/// dictionaries count in any order.
///
/// `@unchecked Sendable` is sound because nothing changes once what makes it has returned.
final class Digest: @unchecked Sendable {
  /// Digests of another algorithm can't be compared.
  static let algorithm = 1

  /// The deepest state that `JSONEncoder` and `JSONDecoder` take is 511 levels deep; a few are left
  /// for the record around it.
  static let deepestLevel = 500

  /// What the leaves add up to; 53 bits are recorded, which every reader of JSON takes exactly.
  fileprivate(set) var total: UInt64 = 0
  var sum: Int { Int(total >> 11) }

  /// 16 bits for each of the first 16 properties.
  fileprivate(set) var properties: [(name: String, sum: Int)] = []

  /// How deep the state is, and of how many values it is; not recorded.
  fileprivate(set) var depth = 0
  fileprivate(set) var leaves = 0

  private init() {}

  /// Digests a state.
  ///
  /// - Throws: ``Unwritable`` if it is too deep to be written.
  /// - Returns: nil if its encoding throws.
  static func of(_ state: some Encodable) throws(Unwritable) -> Digest? {
    let digest = Digest()
    do { try DigestEncoder(digest: digest, path: 0, depth: 0).add(state) } catch {
      guard let error = error as? Unwritable else { return nil }
      throw Unwritable("a value of type \(type(of: state)) can't be written: \(error.reason)")
    }
    return digest
  }

  /// The properties that another digest of the same algorithm has otherwise.
  func differingProperties(from other: Digest) -> [String] {
    let sums = Dictionary(properties) { $1 }
    let others = Dictionary(other.properties) { $1 }
    return Set(sums.keys).union(others.keys).filter { sums[$0] != others[$0] }.sorted()
  }

  /// Reads `[algorithm,sum,"property",sum,…]`; nil if it is of another algorithm.
  init?(from piece: JSONPiece?) {
    guard let parts = piece?.elements, parts.count >= 2, let sum = parts[1].integer,
      parts[0].integer == Digest.algorithm
    else { return nil }
    total = UInt64(sum) << 11
    for index in stride(from: 3, to: parts.count, by: 2) {
      guard let name = parts[index - 1].text, let sum = parts[index].integer else { return nil }
      properties.append((name, sum))
    }
  }

  func write(to line: inout LineBuffer) {
    line.text(",\"digest\":[", Digest.algorithm)
    line.text(",", sum)
    for property in properties {
      line.text(",")
      line.quoted(property.name)
      line.text(",", property.sum)
    }
    line.text("]")
  }
}

/// Adds `mix(path, value)` for each leaf to a wrapping sum, so that no order but that of arrays,
/// which is in the path, matters.
///
/// Three words, so that `any Encoder` needs no allocation.
struct DigestEncoder: Encoder, SingleValueEncodingContainer {
  let digest: Digest
  var path: UInt64
  var depth: Int
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedDigest<Key>(encoder: opened()))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { UnkeyedDigest(encoder: opened()) }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  func encodeNil() { leaf(3) }
  func encode<Value: Encodable>(_ value: Value) throws { try add(value) }
  func encode(_ value: Int128) throws { try add(value) }
  func encode(_ value: UInt128) throws { try add(value) }

  func add<Value: Encodable>(_ value: Value) throws {
    // Four casts that the compiler can't spare are a third of a digest's time. A bit cast is sound
    // because the types are the same.
    if Value.self == Int.self { return integer(unsafeBitCast(value, to: Int.self)) }
    if Value.self == Bool.self { return unsafeBitCast(value, to: Bool.self).add(to: self) }
    if Value.self == String.self { return unsafeBitCast(value, to: String.self).add(to: self) }
    if Value.self == Double.self { return real(unsafeBitCast(value, to: Double.self)) }
    if let value = value as? any DigestLeaf { return try value.add(to: self) }
    if let value = value as? any Numeric {
      if let value = value as? any BinaryInteger { return integer(value) }
      if let value = value as? any BinaryFloatingPoint { return real(value) }
    }
    if depth > Digest.deepestLevel {
      throw Unwritable("it is nested deeper than \(Digest.deepestLevel) levels")
    }
    try value.encode(to: self)
  }

  func leaf(_ value: UInt64) {
    digest.total &+= mix(path, value)
    digest.leaves += 1
  }

  /// What a container adds up in; it counts even if it is empty.
  func opened() -> DigestEncoder {
    leaf(2)
    digest.depth = max(digest.depth, depth + 1)
    return DigestEncoder(digest: digest, path: path, depth: depth + 1)
  }

  func child(_ key: some CodingKey) -> DigestEncoder {
    child(digestHash(key.stringValue))
  }

  func child(_ key: UInt64) -> DigestEncoder {
    DigestEncoder(digest: digest, path: mix(path, key), depth: depth)
  }

  /// Adds something that has no place of its own among others.
  func apart(_ add: (DigestEncoder) throws -> Void) throws {
    let others = digest.total
    digest.total = 0
    try add(DigestEncoder(digest: digest, path: 0, depth: depth))
    digest.total = others &+ mix(path, digest.total)
  }
}

private struct KeyedDigest<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: DigestEncoder
  var codingPath: [any CodingKey] { [] }

  func encodeNil(forKey key: Key) { encoder.child(key).encodeNil() }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try add(value, key) }
  func encode(_ value: Int128, forKey key: Key) throws { try add(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try add(value, key) }

  private func add(_ value: some Encodable, _ key: Key) throws {
    let digest = encoder.digest
    let before = digest.total
    try encoder.child(key).add(value)
    if encoder.depth == 1 && digest.properties.count < 16 {
      digest.properties.append((key.stringValue, Int((digest.total &- before) >> 48)))
    }
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { encoder.child(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder.child(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.child(4) }
  func superEncoder(forKey key: Key) -> any Encoder { encoder.child(key) }
}

private struct UnkeyedDigest: UnkeyedEncodingContainer {
  let encoder: DigestEncoder
  var count = 0
  var codingPath: [any CodingKey] { [] }

  init(encoder: DigestEncoder) { self.encoder = encoder }

  private mutating func next() -> DigestEncoder {
    count += 1
    return encoder.child(UInt64(count))
  }

  mutating func encodeNil() { next().encodeNil() }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try next().add(value) }
  mutating func encode(_ value: Int128) throws { try next().add(value) }
  mutating func encode(_ value: UInt128) throws { try next().add(value) }

  mutating func nestedContainer<Nested>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> { next().container(keyedBy: type) }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    next().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { next() }
}
