internal import Foundation

/// A JSON value in bytes that hold more: what is in it is found by its brackets and quotes, without
/// decoding it.
///
/// It takes JSON without blanks, as the journal writes it. What is none gives nil, or a piece that
/// does not decode.
package struct JSONPiece {
  package let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// A number that is not negative, of at most 18 digits.
  package var integer: Int? {
    if bytes.isEmpty || bytes.count > 18 { return nil }
    if bytes.first == UInt8(ascii: "0") && bytes.count > 1 { return nil }
    var value = 0
    for byte in bytes {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  package var text: String? {
    if isPlainText { return String(validating: bytes.dropFirst().dropLast(), as: UTF8.self) }
    return bytes.contains(UInt8(ascii: "\\"))
      ? try? JSONDecoder().decode(String.self, from: Data(bytes)) : nil
  }

  /// Whether this is a text that is written as it is.
  fileprivate var isPlainText: Bool {
    bytes.withUnsafeBufferPointer { bytes in
      let quote = UInt8(ascii: "\"")
      if bytes.count < 2 || bytes.first != quote || bytes.last != quote { return false }
      return bytes[1..<bytes.count - 1].allSatisfy(isPlain)
    }
  }

  /// As it is written.
  var description: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether this is a text, without decoding it where it is written as it is.
  func isText(_ text: String) -> Bool {
    isPlainText ? bytes.dropFirst().dropLast().elementsEqual(text.utf8) : self.text == text
  }

  /// Where in this a byte is: the keys and indices that lead to it.
  func path(to offset: Int) -> [String] {
    let isObject = bytes.first == UInt8(ascii: "{")
    let parts = isObject ? members?.parts : elements?.map(\.bytes.indices)
    guard let parts, let index = parts.firstIndex(where: { $0.contains(offset) }) else { return [] }
    let key = isObject ? JSONPiece(bytes[parts[index - 1]]).text ?? "" : "\(index)"
    return [key] + JSONPiece(bytes[parts[index]]).path(to: offset)
  }

  /// The elements of an array; nil if it is none.
  package var elements: [JSONPiece]? {
    parts(from: "[", to: "]") { _ in UInt8(ascii: ",") }?.map { JSONPiece(bytes[$0]) }
  }

  /// The members of an object; nil if it is none.
  package var members: JSONMembers? {
    let parts = parts(from: "{", to: "}") { count in
      count % 2 == 0 ? UInt8(ascii: ":") : UInt8(ascii: ",")
    }
    guard let parts, parts.count % 2 == 0 else { return nil }
    return JSONMembers(bytes: bytes, parts: parts)
  }

  /// What stands between brackets and separators, of which one is given for the number of a part;
  /// nil if that is not as it should be.
  private func parts(
    from start: Unicode.Scalar, to end: Unicode.Scalar, _ separator: (Int) -> UInt8
  ) -> [Range<Int>]? {
    if bytes.count < 2 || bytes.first != UInt8(ascii: start) || bytes.last != UInt8(ascii: end) {
      return nil
    }
    if bytes.count == 2 { return [] }
    var parts: [Range<Int>] = []
    parts.reserveCapacity(16)
    var start = bytes.startIndex + 1
    let end = bytes.endIndex - 1
    let isWhole = bytes.withUnsafeBufferPointer { buffer in
      let first = bytes.startIndex
      var depth = 0
      var isInText = false
      var index = start
      while index < end {
        let byte = buffer[index - first]
        switch byte {
        case UInt8(ascii: "\""): isInText.toggle()
        case UInt8(ascii: "\\"): index += 1
        case _ where isInText: break
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ",") where depth == 0, UInt8(ascii: ":") where depth == 0:
          if byte != separator(parts.count) { return false }
          parts.append(start..<index)
          start = index + 1
        default: break
        }
        index += 1
      }
      return index == end && depth == 0 && !isInText
    }
    return isWhole ? parts + CollectionOfOne(start..<end) : nil
  }
}

/// An object's members.
package struct JSONMembers {
  /// The object as it is written.
  let bytes: ArraySlice<UInt8>

  /// Names and values in turn.
  fileprivate let parts: [Range<Int>]

  /// The last member of a name, which has no escapes.
  package subscript(name: StaticString) -> JSONPiece? {
    let found = bytes.withUnsafeBytes { all -> Int? in
      var index = parts.count - 1
      while index > 0 {
        let quoted = parts[index - 1]
        if quoted.count == name.utf8CodeUnitCount + 2, let first = all.baseAddress,
          memcmp(
            first + (quoted.lowerBound + 1 - bytes.startIndex), name.utf8Start,
            name.utf8CodeUnitCount) == 0
        {
          return index
        }
        index -= 2
      }
      return nil
    }
    return found.map { JSONPiece(bytes[parts[$0]]) }
  }
}

/// Where `JSONEncoder` has written what is no JSON: a `Decimal` that is NaN becomes a bare `NaN`.
///
/// - Returns: nil where it has not.
func pathToBareToken(in json: Data) -> [String]? {
  let offset = json.withUnsafeBytes { bytes -> Int? in
    let token = UInt8(ascii: "N")
    guard let base = bytes.baseAddress, memchr(base, Int32(token), bytes.count) != nil else {
      return nil
    }
    var isInText = false
    var index = 0
    while index < bytes.count, isInText || bytes[index] != token {
      if bytes[index] == UInt8(ascii: "\"") { isInText.toggle() }
      index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index < bytes.count ? index : nil
  }
  return offset.map { JSONPiece(Array(json)[...]).path(to: $0) }
}
