import CMemory
import Foundation
import TerminalSupport

let newline = UInt8(ascii: "\n")

/// A line that contains what is searched for, to be used before the search goes on.
struct FoundLine {
  /// The first line of a file has number 1.
  let number: Int

  /// The line without its end.
  let text: UnsafeRawBufferPointer

  /// Where in `text` the pattern first occurs.
  let match: Int
}

/// Finds the lines of a file that contain a pattern.
///
/// As grep does, it has as much of the file in memory as the longest line needs, and takes what has
/// a NUL for binary, from there on.
///
/// - Parameters:
///   - path: the file's.
///   - pattern: bytes, in one line.
///   - isCancelled: is asked often; if it says so, the rest of the file is not searched.
///   - found: is called with each line that contains the pattern.
/// - Returns: whether the file is text.
/// - Throws: what kept the file, or the rest of it, from being read.
func searchFile(
  _ path: Path, for pattern: [UInt8], unless isCancelled: () -> Bool = { false },
  found: (FoundLine) -> Void
) throws(SystemError) -> Bool {
  // What was a file when its directory was read may be a link or a pipe by now.
  let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
  let descriptor = path.withCString { open($0, flags) }
  if descriptor < 0 { throw SystemError("open") }
  defer { close(descriptor) }
  var window = Window()
  var number = 1
  repeat {
    if try !window.fill(from: descriptor) { return false }
    var rest = window.lines
    while let line = firstLine(with: pattern, in: &rest, number: &number) { found(line) }
    if window.isAtEnd { return true }
    number += newlines(in: rest)
    try window.dropLines()
  } while !isCancelled()
  return true
}

/// Takes all up to the end of the first line that contains the pattern, if one does.
private func firstLine(
  with pattern: [UInt8], in text: inout UnsafeRawBufferPointer, number: inout Int
) -> FoundLine? {
  guard let base = text.baseAddress, !text.isEmpty,
    let match = memmem(base, text.count, pattern, pattern.count).map(UnsafeRawPointer.init)
  else { return nil }
  let start = text[..<(match - base)].lastIndex(of: newline).map { $0 + 1 } ?? 0
  let end = memchr(match, Int32(newline), text.count - (match - base)).map(UnsafeRawPointer.init)
  let line = UnsafeRawBufferPointer(rebasing: text[start..<(end.map { $0 - base } ?? text.count)])
  number += 1 + newlines(in: UnsafeRawBufferPointer(rebasing: text[..<start]))
  text = UnsafeRawBufferPointer(rebasing: text[(start + line.count)...].dropFirst())
  return FoundLine(number: number - 1, text: line, match: match - base - start)
}

private func newlines(in text: UnsafeRawBufferPointer) -> Int {
  var count = 0
  for byte in text { count &+= byte == newline ? 1 : 0 }
  return count
}

/// The part of a file that is in memory: it moves through the file, and grows with the longest line.
private struct Window: ~Copyable {
  /// Whether it reaches to the end of the file.
  private(set) var isAtEnd = false

  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 98_304, alignment: 1)
  private var count = 0

  /// How much of it was there before the last read, and is the beginning of a line.
  private var old = 0

  deinit {
    memory.deallocate()
  }

  /// The lines that end in it.
  var lines: UnsafeRawBufferPointer {
    var end = isAtEnd ? count : 0
    if !isAtEnd && memchr(memory.baseAddress! + old, Int32(newline), count - old) != nil {
      end = memory[..<count].lastIndex(of: newline)! + 1
    }
    return UnsafeRawBufferPointer(rebasing: memory[..<end])
  }

  /// Reads until it is full or the file ends.
  ///
  /// - Returns: whether what it has read is text.
  mutating func fill(from descriptor: Int32) throws(SystemError) -> Bool {
    old = count
    while !isAtEnd && count < memory.count {
      let result = read(descriptor, memory.baseAddress! + count, memory.count - count)
      if result < 0 && errno == EINTR { continue }
      if result < 0 { throw SystemError("read") }
      count += result
      isAtEnd = result == 0
    }
    return memchr(memory.baseAddress! + old, 0, count - old) == nil
  }

  /// Lets go of the lines that end in it, or grows if none does.
  mutating func dropLines() throws(SystemError) {
    let dropped = lines.count
    if dropped == 0 { return try grow() }
    count -= dropped
    memmove(memory.baseAddress!, memory.baseAddress! + dropped, count)
  }

  private mutating func grow() throws(SystemError) {
    if memory.count >= 1 << 30 { throw SystemError("read", code: EFBIG) }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * memory.count, alignment: 1)
    larger.copyMemory(from: UnsafeRawBufferPointer(memory))
    memory.deallocate()
    memory = larger
  }
}
