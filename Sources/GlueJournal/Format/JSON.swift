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
    var value = 0
    for byte in bytes {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
  }

  package var text: String? {
    if bytes.contains(UInt8(ascii: "\\")) {
      return try? JSONDecoder().decode(String.self, from: Data(bytes))
    }
    guard bytes.count > 1, bytes.first == UInt8(ascii: "\""), bytes.last == bytes.first else {
      return nil
    }
    return String(validating: bytes.dropFirst().dropLast(), as: UTF8.self)
  }

  /// The elements of an array; nil if it is none.
  package var elements: [JSONPiece]? {
    bytes.first == UInt8(ascii: "[") ? parts()?.map { JSONPiece(bytes[$0]) } : nil
  }

  /// The members of an object; nil if it is none.
  package var members: JSONMembers? {
    bytes.first == UInt8(ascii: "{") ? parts().map { JSONMembers(bytes: bytes, parts: $0) } : nil
  }

  /// What stands between brackets, commas and colons.
  private func parts() -> [Range<Int>]? {
    if bytes.count < 2 { return nil }
    var parts: [Range<Int>] = []
    var start = bytes.startIndex + 1
    let end = bytes.endIndex - 1
    bytes.withUnsafeBufferPointer { buffer in
      let first = bytes.startIndex
      var depth = 0
      var isInText = false
      var index = start
      while index < end {
        switch buffer[index - first] {
        case UInt8(ascii: "\""): isInText.toggle()
        case UInt8(ascii: "\\"): index += 1
        case _ where isInText: break
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        case UInt8(ascii: ",") where depth == 0, UInt8(ascii: ":") where depth == 0:
          parts.append(start..<index)
          start = index + 1
        default: break
        }
        index += 1
      }
    }
    return start < end ? parts + [start..<end] : parts
  }
}

/// An object's members.
package struct JSONMembers {
  fileprivate let bytes: ArraySlice<UInt8>

  /// Names and values in turn.
  fileprivate let parts: [Range<Int>]

  package subscript(name: StaticString) -> JSONPiece? {
    let text = UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    var index = 1
    while index < parts.count {
      let quoted = parts[index - 1]
      if quoted.count == text.count + 2, bytes[quoted].dropFirst().dropLast().elementsEqual(text) {
        return JSONPiece(bytes[parts[index]])
      }
      index += 2
    }
    return nil
  }
}

/// A text as JSON.
func quoted(_ text: String) -> Data {
  (try? JSONEncoder().encode(text)) ?? Data("\"\"".utf8)
}
