/// An encoder that gets the parts of a value in the order in which its type encodes them.
///
/// It is also the container of these parts. A conforming type has at most three words, so that
/// `any Encoder` needs no allocation.
protocol PartEncoder: Encoder, SingleValueEncodingContainer, UnkeyedEncodingContainer {
  /// The number of elements encoded so far; negative if this is not an unkeyed container.
  var elements: Int32 { get set }

  /// The encoder of a container's content.
  func opened(isKeyed: Bool) -> Self

  /// The encoder of the value for a key; without a key, of the part that a superclass encodes.
  func member(_ key: String?) -> Self

  /// The encoder of the newest element.
  func element() -> Self
  func addNil()
  func add<Value: Encodable>(_ value: Value) throws
  func add<Value: Encodable>(_ value: Value, for key: String) throws
}

extension PartEncoder {
  var count: Int { Int(elements) }
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy _: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(KeyedParts<Key>(encoder: opened(isKeyed: true)))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer { opened(isKeyed: false) }
  func singleValueContainer() -> any SingleValueEncodingContainer { self }
  mutating func superEncoder() -> any Encoder { next() }
  mutating func encodeNil() { next().addNil() }
  mutating func encode<Value: Encodable>(_ value: Value) throws { try next().add(value) }
  mutating func encode(_ value: Int128) throws { try next().add(value) }
  mutating func encode(_ value: UInt128) throws { try next().add(value) }

  mutating func nestedContainer<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    next().unkeyedContainer()
  }

  /// The encoder of the next value: of the next element in an unkeyed container, else this one.
  private mutating func next() -> Self {
    if elements < 0 { return self }
    elements += 1
    return element()
  }
}

/// The encoder is no second generic argument, because looking up the type would then take longer.
private struct KeyedParts<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let encoder: any PartEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil(forKey key: Key) { member(key).addNil() }
  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try add(value, key) }
  func encode(_ value: Int128, forKey key: Key) throws { try add(value, key) }
  func encode(_ value: UInt128, forKey key: Key) throws { try add(value, key) }

  private func add(_ value: some Encodable, _ key: Key) throws {
    try encoder.add(value, for: key.stringValue)
  }

  private func member(_ key: Key) -> any PartEncoder { encoder.member(key.stringValue) }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> { member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    member(key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder { encoder.member(nil) }
  func superEncoder(forKey key: Key) -> any Encoder { member(key) }
}
