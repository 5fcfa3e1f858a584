internal import Dispatch
internal import Foundation

/// Writes the lines of a journal: eight hexadecimal digits, a space, and JSON.
///
/// The digits are the CRC-32C of the JSON.
struct LineBuffer {
  private(set) var bytes: [UInt8] = []

  /// The types whose first value was decoded as a check; nil turns the check off.
  var decoded: Set<ObjectIdentifier>?
  var reports: [Notice] = []

  /// Whether the digest of each value stands in its place.
  var writesDigests = false

  /// The file that gets the bytes while a value is encoded; nil if all stay here.
  private var file: LineFile?

  /// Adds a line, or nothing if its parts throw.
  mutating func line(_ parts: (inout LineBuffer) throws -> Void) rethrows {
    let start = bytes.count
    add("00000000 ")
    do { try parts(&self) } catch {
      bytes.removeSubrange(start...)
      throw error
    }
    let sum = checksum(bytes[(start + lineHeadSize)...])
    for index in 0..<8 { bytes[start + index] = digit(index, of: sum) }
    bytes.append(newline)
  }

  mutating func add<each Part: LinePart>(_ part: repeat each Part) {
    repeat (each part).add(to: &bytes)
  }

  mutating func json(_ json: some Sequence<UInt8>) { bytes += json }

  /// Adds a value's encoding, and checks that the first value of each type decodes.
  mutating func value<Value: Codable>(_ value: Value, _ coding: Coding) throws {
    if writesDigests { return add(try digest(of: value)) }
    let start = bytes.count
    if try !DirectEncoder.add(value, to: &bytes, in: file) { bytes += try coding.encode(value) }
    guard decoded?.insert(ObjectIdentifier(Value.self)).inserted == true else { return }
    do { _ = try coding.decode(Value.self, from: JSON(bytes[start...])) } catch {
      reports.append(
        (
          "values of type \(Value.self)",
          "can't be decoded from their own encoding, so the journal can't be opened: "
            + reason(of: error)
        ))
    }
  }

  private func digest(of value: some Encodable) throws -> Int {
    guard let digest = try Digest.of(value) else { throw CodingFailure("it has no digest") }
    return digest.sum
  }

  mutating func list<Element>(
    _ elements: some Sequence<Element>, _ write: (inout LineBuffer, Element) throws -> Void
  ) rethrows {
    add("[")
    for (index, element) in elements.enumerated() {
      if index > 0 { add(",") }
      try write(&self, element)
    }
    add("]")
  }

  /// Writes the parts of a file's only line to it, in pieces.
  ///
  /// The parts must give the same bytes each time.
  static func write(to file: LineFile, _ parts: (inout LineBuffer) throws -> Void) throws {
    var line = LineBuffer()
    line.file = file
    try parts(&line)
    try file.add(line.bytes[...])
  }

  mutating func removeAll() { bytes.removeAll(keepingCapacity: bytes.capacity <= 1 << 20) }
}

/// A part of a line.
///
/// A `String` is JSON already, and is added unchanged.
protocol LinePart {
  func add(to bytes: inout [UInt8])
}

extension String: LinePart {
  func add(to bytes: inout [UInt8]) {
    var text = self
    text.withUTF8 { bytes.append(contentsOf: $0) }
  }
}

extension Int: LinePart {
  /// Adds a number in a quarter of the time that its `description` takes.
  func add(to bytes: inout [UInt8]) {
    if self < 0 { bytes.append(UInt8(ascii: "-")) }
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = digits.count
      var rest = magnitude
      repeat {
        start -= 1
        digits.initializeElement(at: start, to: 0x30 + UInt8(truncatingIfNeeded: rest % 10))
        rest /= 10
      } while rest > 0
      bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
    }
  }
}

/// A text as a JSON string.
struct Quoted: LinePart {
  let text: String
  init(_ text: String) { self.text = text }

  func add(to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { text in
      bytes.append(quote)
      if text.allSatisfy(isPlain) {
        bytes.append(contentsOf: text)
      } else {
        escape(text, &bytes)
      }
      bytes.append(quote)
    }
  }

  private func escape(_ text: UnsafeBufferPointer<UInt8>, _ bytes: inout [UInt8]) {
    for byte in text {
      if let index = escaped.firstIndex(of: byte) {
        bytes += [UInt8(ascii: "\\"), letters[index]]
      } else if byte < 0x20 {
        bytes += Array("\\u00".utf8) + [digit(6, of: UInt32(byte)), digit(7, of: UInt32(byte))]
      } else {
        bytes.append(byte)
      }
    }
  }
}

private let (escaped, letters) = (Array("\"\\\u{8}\t\n\u{C}\r".utf8), Array("\"\\btnfr".utf8))

struct Line: Sendable {
  let range: Range<Int>

  /// The members of the line's object; nil if the line is cut short, fails its checksum, or holds
  /// no object.
  let members: JSONMembers?
}

func lines(of bytes: [UInt8]) -> [Line] {
  var ends: [Int] = [0]
  bytes.withUnsafeBytes { buffer in
    while let base = buffer.baseAddress, let last = ends.last,
      let end = memchr(base + last, Int32(newline), buffer.count - last)
    {
      ends.append(UnsafeRawPointer(end) - base + 1)
    }
  }
  if ends.last != bytes.count { ends.append(bytes.count) }
  return zip(ends, ends.dropFirst()).map { $0..<$1 }.concurrentMap { range in
    let line = bytes[range]
    return Line(range: range, members: line.last == newline ? members(of: line.dropLast()) : nil)
  }
}

/// Finds a whole record at the end of a bad line, where the line feed before it is damaged.
///
/// The pattern that begins a record can't occur within one, because texts escape their quotes and
/// no blank stands outside texts. So the last match is the record's beginning.
func lastOf(_ line: ArraySlice<UInt8>) -> JSONMembers? {
  let start = Array(" {\"n\":".utf8)
  guard line.last == newline, line.count > 8 + start.count else { return nil }
  let last = (line.startIndex + 8...line.endIndex - start.count).last { index in
    line[index...].starts(with: start)
  }
  return last.flatMap { members(of: line[($0 - 8)...].dropLast()) }
}

private func members(of line: ArraySlice<UInt8>) -> JSONMembers? {
  let json = line.dropFirst(lineHeadSize)
  if json.isEmpty || line[line.startIndex + 8] != UInt8(ascii: " ") { return nil }
  let sum = checksum(json)
  for index in 0..<8 where line[line.startIndex + index] != digit(index, of: sum) { return nil }
  return JSON(json).members
}

extension Array where Element: Sendable {
  /// Maps elements on all processors.
  ///
  /// `nonisolated(unsafe)` is sound because one thread writes each place once, and reading begins
  /// when all threads have finished.
  func concurrentMap<Result>(_ transform: @Sendable (Element) -> Result) -> [Result] {
    let share = 256
    return [Result](unsafeUninitializedCapacity: count) { places, initializedCount in
      nonisolated(unsafe) let places = places
      DispatchQueue.concurrentPerform(iterations: (count + share - 1) / share) { part in
        for index in part * share..<Swift.min(part * share + share, count) {
          places.initializeElement(at: index, to: transform(self[index]))
        }
      }
      initializedCount = count
    }
  }
}

/// A line for the user's log.
///
/// The journal reports each subject once.
typealias Notice = (subject: String, text: String)
