internal import Foundation

/// Writes the lines of a journal: eight hexadecimal digits of the CRC-32C of what follows, a space,
/// JSON.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []

  /// The types of which a value was decoded again; nil where none is to be.
  var decoded: Set<ObjectIdentifier>?

  /// Types whose values don't decode, and why.
  var undecodable: [(type: String, reason: String)] = []

  /// Adds a line, or nothing if its parts throw.
  mutating func line(_ parts: (inout LineBuffer) throws -> Void) rethrows {
    let start = bytes.count
    text("00000000 ")
    do { try parts(&self) } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    let sum = checksum(bytes[(start + 9)...])
    for index in 0..<8 { bytes[start + index] = digit(index, of: sum) }
    bytes.append(newline)
  }

  mutating func text(_ text: StaticString, _ number: Int? = nil) {
    bytes += UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
    if let number { bytes.append(decimal: number) }
  }

  mutating func json(_ json: some Sequence<UInt8>) { bytes += json }

  mutating func quoted(_ text: String) { bytes.append(quoted: text) }

  /// Adds what a value encodes; if it is the first of its type, checks that it decodes.
  mutating func value<Value: Codable>(_ value: Value, _ coding: Coding) throws {
    let encoded = try coding.encode(value)
    json(encoded)
    guard decoded?.insert(ObjectIdentifier(Value.self)).inserted == true else { return }
    do { _ = try coding.decode(Value.self, from: JSONPiece(Array(encoded)[...])) } catch {
      undecodable.append(("\(Value.self)", reason(of: error, isBare: true)))
    }
  }

  /// Something for each element, with commas between.
  mutating func list<Element>(
    _ elements: some Sequence<Element>, _ write: (inout LineBuffer, Element) throws -> Void
  ) rethrows {
    text("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { text(",") }
      try write(&self, element)
    }
    text("]")
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20) }
}

/// A line as it was read.
struct Line {
  /// Where it is, with its end.
  let range: Range<Int>

  /// Its members; nil if it has no end, is not what the checksum is of, or is no object.
  let members: JSONMembers?
}

/// The lines of a file.
func lines(of bytes: [UInt8]) -> [Line] {
  var lines: [Line] = []
  var start = 0
  while start < bytes.count {
    let end = firstNewline(in: bytes[start...])
    let isWhole = end < bytes.count
    lines.append(
      Line(
        range: start..<(isWhole ? end + 1 : end),
        members: isWhole ? members(of: bytes[start..<end]) : nil))
    start = end + 1
  }
  return lines
}

/// A whole line at the end of what is none, where the line feed before it is damaged.
///
/// Its beginning cannot be within a record, where a quote in a text is escaped and no blank stands
/// outside of texts: so it is the last there is.
func lastOf(_ line: ArraySlice<UInt8>) -> JSONMembers? {
  let start = Array(" {\"n\":".utf8)
  guard line.last == newline, line.count > 8 + start.count else { return nil }
  let last = (line.startIndex + 8...line.endIndex - start.count).last { index in
    line[index...].starts(with: start)
  }
  return last.flatMap { members(of: line[($0 - 8)...].dropLast()) }
}

private func members(of line: ArraySlice<UInt8>) -> JSONMembers? {
  let json = line.dropFirst(9)
  if json.isEmpty || line[line.startIndex + 8] != UInt8(ascii: " ") { return nil }
  let sum = checksum(json)
  for index in 0..<8 where line[line.startIndex + index] != digit(index, of: sum) { return nil }
  return JSONPiece(json).members
}

/// One of the eight hexadecimal digits of a checksum.
private func digit(_ index: Int, of sum: UInt32) -> UInt8 {
  let value = UInt8(sum >> (28 - 4 * UInt32(index)) & 0xF)
  return value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
}

/// Where the next line feed is, or the end.
private func firstNewline(in bytes: ArraySlice<UInt8>) -> Int {
  bytes.withUnsafeBytes { buffer in
    guard let base = buffer.baseAddress, let found = memchr(base, Int32(newline), buffer.count)
    else { return bytes.endIndex }
    return bytes.startIndex + (UnsafeRawPointer(found) - base)
  }
}

private let newline = UInt8(ascii: "\n")
