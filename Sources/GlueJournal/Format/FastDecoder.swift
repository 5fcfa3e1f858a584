internal import Foundation

/// Reads what most types decode straight from JSON, in a small part of the time of `JSONDecoder`.
///
/// It gives up at all that it does not know or that is wrong. Then `JSONDecoder` does it all, and what
/// that makes of it, or says, counts.
struct FastDecoder: Decoder {
  fileprivate let piece: JSONPiece
  fileprivate let attempt: Attempt
  var codingPath: [any CodingKey] { attempt.path }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// The longest JSON, in bytes, and how deep it may be: it is looked through once a level, and for
  /// each member of an object.
  private static let maximum = 4096
  fileprivate static let maximalDepth = 16

  /// What JSON stands for; nil if this gives up.
  static func decode<Value: Decodable>(_ type: Value.Type, from piece: JSONPiece) -> Value? {
    if piece.bytes.count > maximum { return nil }
    let attempt = Attempt()
    let value = try? attempt.decode(type, from: piece)
    return attempt.hasFailed ? nil : value
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard let members = piece.members, members.hasPlainNames else {
      throw attempt.failure
    }
    return KeyedDecodingContainer(Keyed(members: members, attempt: attempt))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard let elements = piece.elements else { throw attempt.failure }
    return Unkeyed(elements: elements, attempt: attempt)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    Single(piece: piece, attempt: attempt)
  }
}

/// To decode a value; it fails for good, even if the type goes on in another way.
private final class Attempt {
  private(set) var hasFailed = false
  private var depth = 0

  var failure: GaveUp {
    hasFailed = true
    return GaveUp()
  }

  var path: [any CodingKey] {
    hasFailed = true
    return []
  }

  func decode<Value: Decodable>(_ type: Value.Type, from piece: JSONPiece) throws -> Value {
    if type == String.self { return try known(piece.text, type) }
    if type == Int.self { return try known(piece.signedInteger, type) }
    if type == Bool.self { return try known(piece.flag, type) }
    if type == Double.self { return try known(piece.number, type) }
    if special.contains(ObjectIdentifier(type)) || depth == FastDecoder.maximalDepth {
      throw failure
    }
    depth += 1
    defer { depth -= 1 }
    return try Value(from: FastDecoder(piece: piece, attempt: self))
  }

  /// A value of a type that is known by another name.
  ///
  /// The cast is sound because both are the same type, as the caller has seen. One that is checked
  /// would be a tenth of the time.
  private func known<Known, Value>(_ known: Known?, _ type: Value.Type) throws -> Value {
    guard let known else { throw failure }
    return unsafeBitCast(known, to: type)
  }
}

private struct GaveUp: Error {}

private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: JSONMembers
  let attempt: Attempt
  var codingPath: [any CodingKey] { attempt.path }
  var allKeys: [Key] {
    var keys: [Key] = []
    for name in members.names {
      if let text = name.text, let key = Key(stringValue: text) { keys.append(key) }
    }
    return keys
  }

  private func piece(_ key: Key) throws -> JSONPiece {
    guard let piece = members[key.stringValue] else { throw attempt.failure }
    return piece
  }

  func contains(_ key: Key) -> Bool { members[key.stringValue] != nil }
  func decodeNil(forKey key: Key) throws -> Bool { try piece(key).isNull }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try attempt.decode(type, from: piece(key))
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try FastDecoder(piece: piece(key), attempt: attempt).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try FastDecoder(piece: piece(key), attempt: attempt).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { throw attempt.failure }
  func superDecoder(forKey key: Key) throws -> any Decoder { throw attempt.failure }
}

private struct Unkeyed: UnkeyedDecodingContainer {
  let elements: [JSONPiece]
  let attempt: Attempt
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { attempt.path }
  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex == elements.count }

  init(elements: [JSONPiece], attempt: Attempt) {
    self.elements = elements
    self.attempt = attempt
  }

  private mutating func next() throws -> JSONPiece {
    if isAtEnd { throw attempt.failure }
    currentIndex += 1
    return elements[currentIndex - 1]
  }

  mutating func decodeNil() throws -> Bool {
    if isAtEnd { throw attempt.failure }
    if !elements[currentIndex].isNull { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try attempt.decode(type, from: next())
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try FastDecoder(piece: next(), attempt: attempt).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try FastDecoder(piece: next(), attempt: attempt).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder { throw attempt.failure }
}

private struct Single: SingleValueDecodingContainer {
  let piece: JSONPiece
  let attempt: Attempt
  var codingPath: [any CodingKey] { attempt.path }

  func decodeNil() -> Bool { piece.isNull }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try attempt.decode(type, from: piece)
  }
}

/// What `JSONDecoder` decodes itself, but for the most frequent; the rest would ask for it for ever.
private let special =
  ([
    Data.self, URL.self, Decimal.self, Float.self, Int64.self, UInt64.self, Int32.self,
    UInt32.self, UInt8.self, UInt.self, Int16.self, UInt16.self, Int8.self, Int128.self,
    UInt128.self,
  ] as [Any.Type]).map { ObjectIdentifier($0) }
