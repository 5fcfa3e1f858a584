// The containers that a ``FastEncoder`` gives to types.

/// Where a container is.
struct Place {
  let encoder: FastEncoder
  let number: Int
  let depth: Int

  func goOn() { encoder.writing.pointee.goOn(in: number, at: depth) }

  func goOn(_ key: some CodingKey) {
    goOn()
    encoder.writing.pointee.bytes.append(quoted: key.stringValue)
    encoder.writing.pointee.bytes.append(UInt8(ascii: ":"))
  }

  func writeNil() { encoder.writing.pointee.add { $0 += "null".utf8 } }
}

struct KeyedWriting<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let place: Place
  private var encoder: FastEncoder { place.encoder }
  var codingPath: [any CodingKey] { encoder.codingPath }

  init(place: Place) { self.place = place }

  func encodeNil(forKey key: Key) {
    place.goOn(key)
    place.writeNil()
  }

  func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
    place.goOn(key)
    try encoder.write(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    place.goOn(key)
    return encoder.container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    place.goOn(key)
    return encoder.unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    encoder.giveUp()
    return FastEncoder()
  }

  func superEncoder(forKey key: Key) -> any Encoder { superEncoder() }
}

struct UnkeyedWriting: UnkeyedEncodingContainer {
  let place: Place
  private(set) var count = 0
  private var encoder: FastEncoder { place.encoder }
  var codingPath: [any CodingKey] { encoder.codingPath }

  init(place: Place) { self.place = place }

  private mutating func goOn() {
    place.goOn()
    count += 1
  }

  mutating func encodeNil() {
    goOn()
    place.writeNil()
  }

  mutating func encode<Value: Encodable>(_ value: Value) throws {
    goOn()
    try encoder.write(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    goOn()
    return encoder.container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    goOn()
    return encoder.unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder {
    encoder.giveUp()
    return FastEncoder()
  }
}

struct SingleWriting: SingleValueEncodingContainer {
  let encoder: FastEncoder
  var codingPath: [any CodingKey] { encoder.codingPath }

  func encodeNil() { encoder.writing.pointee.add { $0 += "null".utf8 } }
  func encode<Value: Encodable>(_ value: Value) throws { try encoder.write(value) }
}
