internal import Foundation

/// A JSON value within larger bytes.
///
/// Its brackets and quotes give its parts, without decoding.
///
/// The JSON must have no blanks, as in the journal. Malformed bytes give nil or a value that does
/// not decode.
package struct JSON: Sendable {
  package let bytes: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// A non-negative number of at most 18 digits; nil for anything else.
  package var integer: Int? {
    if bytes.isEmpty || bytes.count > 18 || bytes.count > 1 && bytes.first == 0x30 { return nil }
    var value = 0
    for byte in bytes {
      guard 0x30...0x39 ~= byte else { return nil }
      value = value * 10 + Int(byte - 0x30)
    }
    return value
  }

  package var text: String? {
    let inner = bytes.dropFirst().dropLast()
    if bytes.first == quote && inner.count == bytes.count - 2 && bytes.last == quote
      && inner.allSatisfy(isPlain)
    {
      return String(validating: inner, as: UTF8.self)
    }
    return try? JSONDecoder().decode(String.self, from: Data(bytes))
  }

  var isNull: Bool { bytes.elementsEqual("null".utf8) }

  var description: String { String(decoding: bytes, as: UTF8.self) }

  /// The elements of an array; nil for anything else.
  package var elements: [JSON]? {
    parts(from: "[", to: "]") { _ in UInt8(ascii: ",") }?.map { JSON(bytes[$0]) }
  }

  /// The members of an object; nil for anything else.
  package var members: JSONMembers? {
    let parts = parts(from: "{", to: "}") { UInt8(ascii: $0 % 2 == 0 ? ":" : ",") }
    return parts.flatMap { $0.count % 2 == 0 ? JSONMembers(bytes: bytes, parts: $0) : nil }
  }

  /// The keys and indices that lead to a bare `NaN`; nil if there is none.
  ///
  /// `JSONEncoder` writes it for a `Decimal`, although it is not JSON.
  var pathToNaN: [String]? {
    if bytes.first == quote || !bytes.withUnsafeBytes(holdsNaN) { return nil }
    if bytes.count == 3 { return [] }
    for (key, value) in members?.all ?? elements?.enumerated().map({ ("\($0)", $1) }) ?? [] {
      if let path = value.pathToNaN { return [key] + path }
    }
    return nil
  }

  /// The ranges between brackets and separators; nil if the bytes are malformed.
  ///
  /// The closure gives the separator expected after the part at an index.
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
      var (index, depth, isInText) = (start, 0, false)
      while index < end {
        let byte = buffer[index - bytes.startIndex]
        switch byte {
        case quote: isInText.toggle()
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

package struct JSONMembers: Sendable {
  let bytes: ArraySlice<UInt8>

  /// Names and values, alternating.
  fileprivate let parts: [Range<Int>]

  /// The last member with a name, which must have no escapes.
  package subscript(name: String) -> JSON? {
    let index = stride(from: parts.count - 1, to: 0, by: -2).first { index in
      let found = parts[index - 1]
      return found.count == name.utf8.count + 2
        && bytes[found].dropFirst().starts(with: name.utf8)
    }
    return index.map { JSON(bytes[parts[$0]]) }
  }

  var all: [(String, JSON)] {
    stride(from: 1, to: parts.count, by: 2).map { index in
      (JSON(bytes[parts[index - 1]]).text ?? "", JSON(bytes[parts[index]]))
    }
  }
}

func holdsNaN(_ bytes: UnsafeRawBufferPointer) -> Bool {
  var offset = 0
  while let start = bytes.baseAddress.map({ $0 + offset }),
    let found = memchr(start, Int32(UInt8(ascii: "N")), bytes.count - offset)
  {
    offset += UnsafeRawPointer(found) - start + 1
    if bytes[offset...].starts(with: "aN".utf8) { return true }
  }
  return false
}

func isPlain(_ byte: UInt8) -> Bool {
  byte >= 0x20 && byte != quote && byte != UInt8(ascii: "\\")
}

let quote = UInt8(ascii: "\"")
