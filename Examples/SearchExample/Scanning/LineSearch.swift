/// Finds the lines of one file that contain a pattern, while a window moves through it.
struct LineSearch {
  private let pattern: Pattern

  /// The number of the line in which the window begins.
  private var number = 1

  /// The line that the window has not held as a whole, if it is within one.
  private var longLine: LongLine?

  private struct LongLine {
    let offset: Int
    var isFound = false
  }

  init(for pattern: Pattern) {
    self.pattern = pattern
  }

  /// Searches the lines that end in a full window, and moves it past them.
  mutating func search(_ window: inout FileWindow, found: (FoundLine) -> Void) {
    let text = window.bytes
    let end = window.isAtEnd ? text.count : lastNewline(in: text).map { $0 + 1 }
    if end == nil && longLine == nil { longLine = LongLine(offset: window.offset) }
    let begin = searchLongLine(in: window, found: found)
    if let end {
      let rest = searchLines(in: text, begin..<end, found: found)
      if !window.isAtEnd { number += countNewlines(in: rest) }
    }
    window.drop(end ?? begin)
  }

  /// Searches what is there of a line that is too long for the window.
  ///
  /// - Returns: where the next line begins or, if that is beyond the window, how much of this one
  ///   need not be seen again: all but where a match may have begun.
  private mutating func searchLongLine(
    in window: FileWindow, found: (FoundLine) -> Void
  ) -> Int {
    guard let line = longLine else { return 0 }
    let text = window.bytes
    let end = firstNewline(in: text) ?? text.count
    let part = UnsafeRawBufferPointer(rebasing: text[..<end])
    if !line.isFound, let match = pattern.firstMatch(in: part) {
      longLine?.isFound = true
      found(
        FoundLine(
          number: number, text: part, match: match, beginning: (window.descriptor, line.offset)))
    }
    if end == text.count && !window.isAtEnd { return end - max(pattern.bytes.count - 1, 0) }
    longLine = nil
    number += 1
    return min(end + 1, text.count)
  }

  /// - Returns: what follows the last line found.
  private mutating func searchLines(
    in text: UnsafeRawBufferPointer, _ range: Range<Int>, found: (FoundLine) -> Void
  ) -> UnsafeRawBufferPointer {
    var rest = UnsafeRawBufferPointer(rebasing: text[range])
    while !rest.isEmpty, let match = pattern.firstMatch(in: rest) {
      let before = UnsafeRawBufferPointer(rebasing: rest[..<match])
      let start = lastNewline(in: before).map { $0 + 1 } ?? 0
      let after = UnsafeRawBufferPointer(rebasing: rest[match...])
      let end = firstNewline(in: after).map { match + $0 } ?? rest.count
      number += countNewlines(in: before)
      let line = UnsafeRawBufferPointer(rebasing: rest[start..<end])
      found(FoundLine(number: number, text: line, match: match - start))
      number += 1
      rest = UnsafeRawBufferPointer(rebasing: rest[min(end + 1, rest.count)...])
    }
    return rest
  }
}
