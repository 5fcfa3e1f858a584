internal import Foundation

/// The lines of a journal: eight hexadecimal digits of the CRC-32C of what follows, a space, JSON.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []

  /// Adds a line, or nothing if its parts throw.
  mutating func line(_ parts: (inout LineBuffer) throws -> Void) rethrows {
    let start = bytes.count
    text("00000000 ")
    do { try parts(&self) } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    let sum = bytes.withUnsafeBytes {
      checksum(UnsafeRawBufferPointer(rebasing: $0[(start + 9)...]))
    }
    for digit in 0..<8 { bytes[start + digit] = hexDigits[Int(sum >> (28 - 4 * digit)) & 0xF] }
    bytes.append(newline)
  }

  mutating func text(_ text: StaticString) {
    bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  mutating func integer(_ value: Int) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let start = bytes.count
    var rest = value.magnitude
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  /// A text in quotes.
  mutating func string(_ text: String) {
    text.utf8.withContiguousStorageIfAvailable { utf8 in
      let isPlain = utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }
      if isPlain { bytes += [0x22] + utf8 + [0x22] }
      return isPlain
    } == true ? () : json((try? JSONEncoder().encode(text)) ?? Data("\"\"".utf8))
  }

  mutating func json(_ data: Data) { bytes.append(contentsOf: data) }
  mutating func json(_ raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

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

  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20)
  }
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
    let end = bytes[start...].firstNewline
    lines.append(
      Line(
        range: start..<min(end + 1, bytes.count),
        members: end < bytes.count ? members(of: bytes, start..<end) : nil))
    start = end + 1
  }
  return lines
}

/// A whole line at the end of what is none, where the line feed before it is damaged.
func lastOf(_ bytes: [UInt8], _ line: Range<Int>) -> JSONMembers? {
  if bytes[line.upperBound - 1] != newline { return nil }
  var tries = 0
  for start in line.dropLast(11) where bytes[start + 8] == UInt8(ascii: " ") {
    if bytes[start + 9] != UInt8(ascii: "{") { continue }
    if let members = members(of: bytes, start..<line.upperBound - 1) { return members }
    tries += 1
    if tries == 100 { return nil }
  }
  return nil
}

private func members(of bytes: [UInt8], _ line: Range<Int>) -> JSONMembers? {
  if line.count < 9 || bytes[line.lowerBound + 8] != UInt8(ascii: " ") { return nil }
  let json = line.lowerBound + 9..<line.upperBound
  let sum = bytes.withUnsafeBytes { checksum(UnsafeRawBufferPointer(rebasing: $0[json])) }
  for digit in 0..<8
  where bytes[line.lowerBound + digit] != hexDigits[Int(sum >> (28 - 4 * digit)) & 0xF] {
    return nil
  }
  return JSONPiece(bytes, json).members
}

extension ArraySlice<UInt8> {
  /// Where the next line feed is, or the end.
  fileprivate var firstNewline: Int {
    withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress,
        let found = memchr(base, Int32(newline), bytes.count)
      else { return endIndex }
      return startIndex + (UnsafeRawPointer(found) - base)
    }
  }
}

private let newline = UInt8(ascii: "\n")
private let hexDigits = Array("0123456789abcdef".utf8)
