import CMemory
import Foundation

let newline = UInt8(ascii: "\n")

/// A line with the pattern, without its end, to be used before the search continues.
struct FoundLine {
  /// The first line of a file has number 1.
  let number: Int
  let text: UnsafeRawBufferPointer

  /// The first match in `text`.
  let match: Int
}

/// Calls `found` with each line of a file that contains a pattern, and returns whether it is text.
///
/// As grep does, it has as much of the file in memory as the longest line needs, and takes what has
/// a NUL for binary, from there on. It can be canceled within a file too, and throws the error that
/// keeps the rest from being read.
func searchFile(
  _ path: Path, for pattern: [UInt8], unless isCancelled: () -> Bool = { false },
  found: (FoundLine) -> Void
) throws(SystemError) -> Bool {
  // A file may have become a link or a pipe since its directory was read.
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

/// Takes everything up to the end of the first line that contains the pattern, if one does.
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

  private var size = 98_304
  private var memory = realloc(nil, 98_304)!
  private var count = 0

  /// How much of it was there before the last read, and is the beginning of a line.
  private var old = 0

  deinit {
    free(memory)
  }

  /// The lines that end in it.
  var lines: UnsafeRawBufferPointer {
    let text = UnsafeRawBufferPointer(start: memory, count: count)
    if isAtEnd { return text }
    let hasEnd = memchr(memory + old, Int32(newline), count - old) != nil
    let end = hasEnd ? text.lastIndex(of: newline)! + 1 : 0
    return UnsafeRawBufferPointer(rebasing: text[..<end])
  }

  /// Reads until it is full or the file ends, and returns whether what it has read is text.
  mutating func fill(from descriptor: Int32) throws(SystemError) -> Bool {
    old = count
    while !isAtEnd && count < size {
      let result = read(descriptor, memory + count, size - count)
      if result < 0 && errno == EINTR { continue }
      if result < 0 { throw SystemError("read") }
      count += result
      isAtEnd = result == 0
    }
    return memchr(memory + old, 0, count - old) == nil
  }

  /// Drops the lines that end in it, or grows if none does.
  mutating func dropLines() throws(SystemError) {
    let dropped = lines.count
    count -= dropped
    memmove(memory, memory + dropped, count)
    if dropped > 0 { return }
    if size > 1 << 30 { throw SystemError("read", code: EFBIG) }
    size *= 2
    memory = realloc(memory, size)!
  }
}
