internal import Foundation

/// A JSON value in bytes that hold more: what is in it is found by its brackets and quotes, without
/// decoding it.
///
/// It takes JSON without blanks, as the journal writes it. What is none gives nil, or a piece that
/// does not decode.
struct JSONPiece {
  let bytes: [UInt8]
  let range: Range<Int>

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    self.range = range
  }

  var data: Data { Data(bytes[range]) }
  var raw: ArraySlice<UInt8> { bytes[range] }

  var integer: Int? {
    bytes.withUnsafeBufferPointer { bytes in
      var digits = range
      let isNegative = digits.first.map { bytes[$0] } == UInt8(ascii: "-")
      if isNegative { digits.removeFirst() }
      if digits.isEmpty || digits.count > 18 { return nil }
      var value = 0
      for index in digits {
        guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[index] else { return nil }
        value = value * 10 + Int(bytes[index] - UInt8(ascii: "0"))
      }
      return isNegative ? -value : value
    }
  }

  var text: String? {
    if range.count < 2 || bytes[range.lowerBound] != quote { return nil }
    let inner = range.dropFirst().dropLast()
    if bytes[inner].contains(backslash) {
      return try? JSONDecoder().decode(String.self, from: data)
    }
    return String(validating: bytes[inner], as: UTF8.self)
  }

  /// The elements of an array; nil if it is none.
  var elements: [JSONPiece]? {
    parts(in: "[", "]") { reader in reader.value().map { JSONPiece(bytes, $0) } }
  }

  /// The members of an object; nil if it is none.
  var members: JSONMembers? {
    parts(in: "{", "}") { reader in
      guard let name = reader.value(), reader.take(":"), let value = reader.value() else {
        return nil
      }
      return (name.dropFirst().dropLast(), value)
    }.map { JSONMembers(bytes: bytes, members: $0) }
  }

  private func parts<Part>(
    in open: Unicode.Scalar, _ close: Unicode.Scalar, _ part: (inout JSONReader) -> Part?
  ) -> [Part]? {
    bytes.withUnsafeBufferPointer { bytes in
      var reader = JSONReader(bytes: bytes, next: range.lowerBound, end: range.upperBound)
      if !reader.take(open) { return nil }
      if reader.take(close) { return [] }
      var parts: [Part] = []
      repeat {
        guard let part = part(&reader) else { return nil }
        parts.append(part)
      } while reader.take(",")
      return reader.take(close) && reader.next == reader.end ? parts : nil
    }
  }
}

/// An object's members.
struct JSONMembers {
  fileprivate let bytes: [UInt8]
  fileprivate let members: [(name: Range<Int>, value: Range<Int>)]

  subscript(name: StaticString) -> JSONPiece? {
    for member in members where member.name.count == name.utf8CodeUnitCount {
      let isSame = bytes.withUnsafeBytes {
        memcmp($0.baseAddress! + member.name.lowerBound, name.utf8Start, member.name.count) == 0
      }
      if isSame { return JSONPiece(bytes, member.value) }
    }
    return nil
  }
}

/// Finds where values end.
private struct JSONReader {
  let bytes: UnsafeBufferPointer<UInt8>
  var next: Int
  let end: Int

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    if next == end || bytes[next] != UInt8(ascii: scalar) { return false }
    next += 1
    return true
  }

  /// Passes a value; nil if it is empty or does not end.
  mutating func value() -> Range<Int>? {
    let start = next
    var depth = 0
    while next < end {
      switch bytes[next] {
      case quote:
        if !passString() { return nil }
        if depth == 0 { return start..<next }
        continue
      case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "]"), UInt8(ascii: "}"):
        if depth == 0 { return start < next ? start..<next : nil }
        depth -= 1
        if depth == 0 {
          next += 1
          return start..<next
        }
      case UInt8(ascii: ",") where depth == 0, UInt8(ascii: ":") where depth == 0:
        return start < next ? start..<next : nil
      default: break
      }
      next += 1
    }
    return nil
  }

  private mutating func passString() -> Bool {
    next += 1
    while next < end {
      switch bytes[next] {
      case quote:
        next += 1
        return true
      case backslash: next += 2
      default: next += 1
      }
    }
    next = end
    return false
  }
}

private let quote = UInt8(ascii: "\"")
private let backslash = UInt8(ascii: "\\")
