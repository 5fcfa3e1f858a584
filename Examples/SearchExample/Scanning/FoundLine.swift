import Foundation

/// A line that contains the pattern, to be used before its search goes on.
struct FoundLine {
  /// The first line of a file has number 1.
  let number: Int

  /// The line without its end; of one too long for the buffer, the part around the first match.
  let text: UnsafeRawBufferPointer

  /// Where in `text` the pattern first occurs.
  let match: Int

  /// Where a line begins that is too long for the buffer.
  fileprivate let beginning: (descriptor: Int32, offset: Int)?

  init(
    number: Int, text: UnsafeRawBufferPointer, match: Int,
    beginning: (descriptor: Int32, offset: Int)? = nil
  ) {
    self.number = number
    self.text = text
    self.match = match
    self.beginning = beginning
  }

  var isLong: Bool { beginning != nil }

  /// Calls the body with all of the line, piece by piece.
  ///
  /// A long line is read again. If that fails, or the file has shrunk, the rest is missing.
  func forEachPiece(_ body: (UnsafeRawBufferPointer) -> Void) {
    guard let beginning else { return body(text) }
    var offset = beginning.offset
    withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      while true {
        let count = pread(beginning.descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        if count <= 0 { return }
        let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        let end = firstNewline(in: piece)
        body(UnsafeRawBufferPointer(rebasing: piece[..<(end ?? count)]))
        if end != nil { return }
        offset += count
      }
    }
  }
}
