internal import Foundation

/// Decodes a value from its JSON while its type asks for the parts.
///
/// `JSONDecoder` makes a map of all values first, which took most of the time of an opening, and more
/// memory than the JSON. Values are read where they stand instead, and best in the order in which
/// they were written. This decoder gives up at everything that it doesn't read in the same way:
/// blanks, numbers of another form, a value of another type, and where a type reads its coding path.
/// `JSONDecoder` then decodes the value anew, so its errors are the ones that are thrown. The results
/// are the same, except that a key which an object has twice isn't noticed, nor bytes between the
/// values that are asked for which are no JSON.
struct DirectDecoder: Decoder, SingleValueDecodingContainer {
  fileprivate let json: DirectInput

  /// Where the value begins.
  fileprivate let start: Int

  /// How many containers it lies in.
  fileprivate let depth: Int

  /// Decodes a value; nil if it gives up.
  static func value<Value: Decodable>(_ type: Value.Type, from json: JSON) -> Value? {
    let input = DirectInput(json.bytes)
    guard let value = try? input.decode(type, at: 0, depth: 0), input.isRead else { return nil }
    return value
  }

  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var codingPath: [any CodingKey] { json.noPath }

  func container<Key: CodingKey>(keyedBy _: Key.Type) throws -> KeyedDecodingContainer<Key> {
    let members = DirectMembers(json, start, depth + 1)
    try json.check(json[start] == UInt8(ascii: "{") && depth < 500)
    return KeyedDecodingContainer(KeyedMembers<Key>(members: members))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try json.check(json[start] == UInt8(ascii: "[") && depth < 500)
    return DirectElements(json: json, start: start, depth: depth + 1)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer { self }
  func decodeNil() -> Bool { json.isNull(at: start) }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try json.decode(type, at: start, depth: depth)
  }

  func decode(_ type: Int128.Type) throws -> Int128 {
    try json.decode(type, at: start, depth: depth)
  }

  func decode(_ type: UInt128.Type) throws -> UInt128 {
    try json.decode(type, at: start, depth: depth)
  }
}

private struct GivenUp: Error {}

// MARK: - Containers

private struct DirectElements: UnkeyedDecodingContainer {
  let json: DirectInput
  let start: Int
  let depth: Int
  private var next: Int
  private(set) var currentIndex = 0

  init(json: DirectInput, start: Int, depth: Int) {
    (self.json, self.start, self.depth) = (json, start, depth)
    next = start + 1
  }

  var codingPath: [any CodingKey] { json.noPath }
  var isAtEnd: Bool { json[next] == UInt8(ascii: "]") }

  var count: Int? {
    var (place, count) = (next, currentIndex)
    while json[place] != UInt8(ascii: "]"), place < json.count {
      let next = json.next(after: json.end(of: place))
      if next == place { json.giveUp() }
      (place, count) = (max(next, place + 1), count + 1)
    }
    return count
  }

  /// Does something with the next element, and goes to the one behind it.
  private mutating func withNext<Result>(
    _ body: (DirectDecoder) throws -> Result
  ) throws -> Result {
    try json.check(!isAtEnd)
    let result = try body(DirectDecoder(json: json, start: next, depth: depth))
    let end = json.end(of: next)
    json.noteEnd(end, ofPartOf: start)
    next = json.next(after: end)
    try json.check(next > end ? !isAtEnd : isAtEnd)
    currentIndex += 1
    return result
  }

  mutating func decodeNil() throws -> Bool {
    try json.check(!isAtEnd)
    if !json.isNull(at: next) { return false }
    return try withNext { _ in true }
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try withNext { try $0.decode(type) }
  }

  mutating func decode(_ type: Int128.Type) throws -> Int128 {
    try withNext { try $0.decode(type) }
  }

  mutating func decode(_ type: UInt128.Type) throws -> UInt128 {
    try withNext { try $0.decode(type) }
  }

  mutating func nestedContainer<Key: CodingKey>(
    keyedBy type: Key.Type
  ) throws -> KeyedDecodingContainer<Key> { try withNext { try $0.container(keyedBy: type) } }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try withNext { try $0.unkeyedContainer() }
  }

  mutating func superDecoder() throws -> any Decoder { try withNext { $0 } }
}

private struct KeyedMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let members: DirectMembers

  var codingPath: [any CodingKey] { members.json.noPath }
  var allKeys: [Key] { members.names.compactMap(Key.init) }
  func contains(_ key: Key) -> Bool { members.place(of: key.stringValue) != nil }

  private func member(_ key: String) throws -> DirectDecoder {
    let place = members.place(of: key)
    try members.json.check(place != nil)
    return DirectDecoder(json: members.json, start: place ?? 0, depth: members.depth)
  }

  private func member(_ key: Key) throws -> DirectDecoder { try member(key.stringValue) }

  func decodeNil(forKey key: Key) throws -> Bool { try member(key).decodeNil() }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try member(key).decode(type)
  }

  func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 {
    try member(key).decode(type)
  }

  func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 {
    try member(key).decode(type)
  }

  func nestedContainer<Nested>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try member(key).container(keyedBy: type) }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try member(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try member("super") }
  func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }
}

/// The members of an object, which are read in order as long as the type asks for them in order.
private final class DirectMembers {
  let json: DirectInput
  let depth: Int
  private let start: Int

  /// Where the next name begins, or the object ends.
  @exclusivity(unchecked) private var next: Int

  /// The member before that, which is at its turn.
  @exclusivity(unchecked) private var current = (name: "", place: -1)

  /// All names in order, and the places of their values, once a member wasn't the next one.
  @exclusivity(unchecked) private var all: (names: [String], places: [String: Int])?

  init(_ json: DirectInput, _ start: Int, _ depth: Int) {
    (self.json, self.start, self.depth) = (json, start, depth)
    next = start + 1
  }

  var names: [String] { everything.names }

  /// Where the value of a name begins; nil if there is none.
  func place(of name: String) -> Int? {
    if let all { return all.places[name] }
    if current.place >= 0 {
      if current.name == name { return current.place }
      pass()
    }
    if let place = json.value(named: name, at: next) {
      current = (name, place)
      return place
    }
    switch json.search(for: name, in: start) {
    case .found(let place): return place
    case .missing: return nil
    case .unknown: return everything.places[name]
    }
  }

  /// Goes behind the current member.
  private func pass() {
    let end = json.end(of: current.place)
    json.noteEnd(end, ofPartOf: start)
    next = json.next(after: end)
    if json[next] != (next > end ? quote : UInt8(ascii: "}")) { json.giveUp() }
    current.place = -1
  }

  private var everything: (names: [String], places: [String: Int]) {
    if let all { return all }
    var (names, places): ([String], [String: Int]) = ([], [:])
    var place = start + 1
    while json[place] == quote {
      guard let name = try? json.text(at: place) else { break }
      let value = json.end(of: place) + 1
      if json[value - 1] != UInt8(ascii: ":") { json.giveUp() }
      if places.updateValue(value, forKey: name) != nil { json.giveUp() }
      names.append(name)
      place = json.next(after: json.end(of: value))
    }
    if json[place] != UInt8(ascii: "}") { json.giveUp() }
    json.noteEnd(place, ofPartOf: start)
    all = (names, places)
    return (names, places)
  }
}

// MARK: - Bytes

/// The JSON that a ``DirectDecoder`` reads.
///
/// It needs no exclusivity checks, because none of its methods calls code of others while it changes
/// a property.
private final class DirectInput {
  private let bytes: ArraySlice<UInt8>
  @exclusivity(unchecked) private(set) var hasGivenUp = false

  /// The value that was read last, and where it ends.
  @exclusivity(unchecked) private var value = (start: -1, end: 0)

  /// The container of which a part was read last, and where that part ends.
  @exclusivity(unchecked) private var container = (start: -1, end: 0)

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  var count: Int { bytes.count }

  /// Whether the whole value was read.
  var isRead: Bool { !hasGivenUp && end(of: 0) == bytes.count }

  /// A byte; 0, which is not in JSON, behind the end.
  subscript(_ place: Int) -> UInt8 {
    place < bytes.count ? bytes[bytes.startIndex + place] : 0
  }

  /// No coding path, because only `JSONDecoder` has one.
  var noPath: [any CodingKey] {
    giveUp()
    return []
  }

  func giveUp() { hasGivenUp = true }

  func check(_ isAsExpected: Bool) throws {
    if isAsExpected && !hasGivenUp { return }
    hasGivenUp = true
    throw GivenUp()
  }

  func noteEnd(_ end: Int, ofPartOf start: Int) { container = (start, end) }

  func isNull(at start: Int) -> Bool {
    if self[start] != UInt8(ascii: "n") || !bytes.dropFirst(start).starts(with: "null".utf8) {
      return false
    }
    value = (start, start + 4)
    return true
  }

  func decode<Value: Decodable>(_ type: Value.Type, at start: Int, depth: Int) throws -> Value {
    try check(true)
    // Each bit cast is sound because the types are the same.
    if Value.self == String.self {
      return unsafeBitCast(try text(at: start), to: Value.self)
    } else if Value.self == Int.self {
      return unsafeBitCast(try integer(Int.self, at: start), to: Value.self)
    } else if Value.self == Bool.self {
      return unsafeBitCast(try bool(at: start), to: Value.self)
    } else if Value.self == Double.self {
      return unsafeBitCast(try real(Double.self, at: start), to: Value.self)
    } else if Value.self == Float.self {
      return unsafeBitCast(try real(Float.self, at: start), to: Value.self)
    } else if integerTypes.contains(ObjectIdentifier(Value.self)) {
      return try integer(of: type, at: start)
    } else if foundationTypes.contains(ObjectIdentifier(Value.self)) {
      return try foundationValue(of: type, at: start)
    }
    return try Value(from: DirectDecoder(json: self, start: start, depth: depth))
  }

  private func integer<Value>(of type: Value.Type, at start: Int) throws -> Value {
    guard let type = type as? any FixedWidthInteger.Type,
      let number = try integer(type, at: start) as? Value
    else { throw GivenUp() }
    return number
  }

  private func foundationValue<Value>(of type: Value.Type, at start: Int) throws -> Value {
    var result: Any?
    if type == Data.self { result = Data(base64Encoded: try text(at: start)) }
    if type == URL.self { result = URL(string: try text(at: start)) }
    try check(result is Value)
    guard let result = result as? Value else { throw GivenUp() }
    return result
  }
}

// MARK: - Values

extension DirectInput {
  func text(at start: Int) throws -> String {
    try check(self[start] == quote)
    let (end, isPlain) = endOfText(at: start)
    value = (start, end)
    let inner = bytes[bytes.startIndex + start + 1..<bytes.startIndex + max(start + 1, end - 1)]
    let text = isPlain ? String(validating: inner, as: UTF8.self) : unescaped(inner)
    try check(text != nil && self[end - 1] == quote && end > start + 1)
    return text ?? ""
  }

  private func bool(at start: Int) throws -> Bool {
    let isTrue = self[start] == UInt8(ascii: "t")
    let text = isTrue ? "true" : "false"
    try check(bytes.dropFirst(start).starts(with: text.utf8))
    value = (start, start + text.utf8.count)
    return isTrue
  }

  func integer<Number: FixedWidthInteger>(_: Number.Type, at start: Int) throws -> Number {
    let isNegative = self[start] == UInt8(ascii: "-")
    let first = isNegative ? start + 1 : start
    var (end, sum, isWhole) = (first, Number.zero, true)
    while 0x30...0x39 ~= self[end] {
      let digit = Number(truncatingIfNeeded: self[end] - 0x30)
      let (product, overflow) = sum.multipliedReportingOverflow(by: 10)
      let (result, overflow2) =
        isNegative
        ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
      (sum, isWhole) = (result, isWhole && !overflow && !overflow2)
      end += 1
    }
    let isPlain = self[first] != 0x30 || end == first + 1
    try check(end > first && isWhole && isPlain && isEndOfNumber(end))
    value = (start, end)
    return sum
  }

  private func real<Number: BinaryFloatingPoint & LosslessStringConvertible>(
    _: Number.Type, at start: Int
  ) throws -> Number {
    var end = start
    while end < bytes.count, !isEndOfNumber(end) { end += 1 }
    value = (start, end)
    let digits = bytes[bytes.startIndex + start..<bytes.startIndex + end]
    if let number = exact(digits) { return Number(number) }
    let isNumber = digits.allSatisfy { 0x2B...0x39 ~= $0 || $0 == 0x65 || $0 == 0x45 }
    let number = isNumber ? Number(String(decoding: digits, as: UTF8.self)) : nil
    try check(number?.isFinite == true && isJSONNumber(digits))
    return number ?? 0
  }

  /// A number of at most 7 digits, with or without a point, which is exact as a `Float` too when it
  /// is divided by a power of ten once; nil for anything else.
  private func exact(_ digits: ArraySlice<UInt8>) -> Double? {
    guard let first = digits.first, digits.count <= 8, 0x31...0x39 ~= first else { return nil }
    var (sum, power, hasPoint) = (0, 1.0, false)
    for byte in digits {
      switch byte {
      case 0x30...0x39:
        sum = sum * 10 + Int(byte - 0x30)
        if hasPoint { power *= 10 }
      case 0x2E where !hasPoint: hasPoint = true
      default: return nil
      }
    }
    return hasPoint ? (power == 1 ? nil : Double(sum) / power) : Double(sum)
  }

  private func isJSONNumber(_ digits: ArraySlice<UInt8>) -> Bool {
    let rest = digits.first == UInt8(ascii: "-") ? digits.dropFirst() : digits
    guard let first = rest.first, 0x30...0x39 ~= first, let last = rest.last,
      0x30...0x39 ~= last
    else { return false }
    if first == 0x30, let second = rest.dropFirst().first, 0x30...0x39 ~= second { return false }
    guard let point = rest.firstIndex(of: UInt8(ascii: ".")) else { return true }
    return 0x30...0x39 ~= rest[point + 1]
  }

  private func isEndOfNumber(_ place: Int) -> Bool {
    switch self[place] {
    case UInt8(ascii: ","), UInt8(ascii: "]"), UInt8(ascii: "}"): true
    default: place == bytes.count
    }
  }

  /// A text with escapes; nil if one is unknown or stands for half a character.
  private func unescaped(_ text: ArraySlice<UInt8>) -> String? {
    var plain: [UInt8] = []
    plain.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
      if byte < 0x20 { return nil }
      if byte != UInt8(ascii: "\\") {
        plain.append(byte)
        continue
      }
      guard let escape = rest.popFirst() else { return nil }
      if let index = escapeLetters.firstIndex(of: escape) {
        plain.append(escapedBytes[index])
      } else if escape == UInt8(ascii: "u"), let character = character(in: &rest) {
        plain += Array(String(character).utf8)
      } else {
        return nil
      }
    }
    return String(validating: plain, as: UTF8.self)
  }

  private func character(in rest: inout ArraySlice<UInt8>) -> Character? {
    guard let first = unit(in: &rest) else { return nil }
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    guard rest.starts(with: "\\u".utf8) else { return nil }
    rest = rest.dropFirst(2)
    guard 0xD800..<0xDC00 ~= first, let second = unit(in: &rest), 0xDC00..<0xE000 ~= second
    else { return nil }
    let scalar = 0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00)
    return Unicode.Scalar(scalar).map(Character.init)
  }

  private func unit(in rest: inout ArraySlice<UInt8>) -> UInt16? {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(4)
    let isHexadecimal = digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard digits.count == 4, isHexadecimal else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}

// MARK: - Places

extension DirectInput {
  /// The place behind a value.
  ///
  /// It need not pass again what was read last.
  func end(of start: Int) -> Int {
    if value.start == start { return value.end }
    let isBegun = container.start == start
    let end = passed(from: isBegun ? container.end : start, depth: isBegun ? 1 : 0)
    if end > start, isBracket(start), self[end - 1] != self[start] + 2 { giveUp() }
    value = (start, end)
    return end
  }

  /// Whether a container begins at a place; the bracket that ends it is the byte two further.
  private func isBracket(_ place: Int) -> Bool {
    self[place] == UInt8(ascii: "{") || self[place] == UInt8(ascii: "[")
  }

  /// The place behind a comma, if there is one.
  func next(after place: Int) -> Int { self[place] == UInt8(ascii: ",") ? place + 1 : place }

  /// The place behind the rest of a value, within a number of its brackets.
  private func passed(from start: Int, depth: Int) -> Int {
    bytes.withUnsafeBufferPointer { bytes in
      var (place, depth) = (start, depth)
      while place < bytes.count {
        switch bytes[place] {
        case quote: place = endOfText(at: place).end - 1
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"):
          if depth == 0 { return place }
          depth -= 1
        case UInt8(ascii: ",") where depth == 0, UInt8(ascii: ":") where depth == 0: return place
        default:
          place += 1
          continue
        }
        place += 1
        if depth == 0 { return place }
      }
      return bytes.count
    }
  }

  /// The place behind a text, and whether it has no escapes and no control characters.
  private func endOfText(at start: Int) -> (end: Int, isPlain: Bool) {
    bytes.withUnsafeBufferPointer { bytes in
      var (place, isPlain) = (start + 1, true)
      while place < bytes.count {
        let byte = bytes[place]
        if byte == quote { return (place + 1, isPlain) }
        if byte == UInt8(ascii: "\\") {
          isPlain = false
          place += 1
        } else if byte < 0x20 {
          isPlain = false
        }
        place += 1
      }
      return (bytes.count, isPlain)
    }
  }

  /// The place of the value of a member that begins at a place; nil if it has another name.
  func value(named name: String, at place: Int) -> Int? {
    var name = name
    let end = place + 1 + name.utf8.count
    if self[place] != quote || self[end] != quote || self[end + 1] != UInt8(ascii: ":") {
      return nil
    }
    let isEqual = name.withUTF8 { name in
      bytes.withUnsafeBufferPointer { bytes in
        name.isEmpty || memcmp(name.baseAddress!, bytes.baseAddress! + place + 1, name.count) == 0
      }
    }
    return isEqual ? end + 2 : nil
  }

  enum Search { case found(Int), missing, unknown }

  /// Looks for a member of an object, if that is small and its names are plain.
  func search(for name: String, in start: Int) -> Search {
    var place = start + 1
    while self[place] == quote, place - start < 4096 {
      if let value = value(named: name, at: place) { return .found(value) }
      let (end, isPlain) = endOfText(at: place)
      if !isPlain || self[end] != UInt8(ascii: ":") { return .unknown }
      let behind = passed(from: end + 1, depth: 0)
      place = next(after: behind)
      if place > behind && self[place] != quote { return .unknown }
    }
    return self[place] == UInt8(ascii: "}") && name.utf8.allSatisfy { $0 < 0x80 }
      ? .missing : .unknown
  }
}

private let (escapeLetters, escapedBytes) = (
  Array("\"\\/bfnrt".utf8), Array("\"\\/\u{8}\u{C}\n\r\t".utf8)
)

private let foundationTypes = ([Data.self, URL.self, Decimal.self] as [Any.Type])
  .map { ObjectIdentifier($0) }
