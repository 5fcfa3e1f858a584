import Foundation
import TerminalSupport

/// Searches files one after another, in one buffer.
final class FileSearcher {
  enum Outcome { case searched, binary }

  private let pattern: Pattern
  private let buffer: UnsafeMutableRawBufferPointer

  /// - Parameters:
  ///   - pattern: what to find.
  ///   - bufferSize: how many bytes of a file to have in memory at once; it grows with the pattern.
  init(pattern: Pattern, bufferSize: Int = 262_144) {
    self.pattern = pattern
    let size = max(bufferSize, 2 * pattern.bytes.count)
    buffer = .allocate(byteCount: size, alignment: 64)
  }

  deinit {
    buffer.deallocate()
  }

  /// Searches a file, unless it is binary.
  ///
  /// - Parameters:
  ///   - path: the file's.
  ///   - isCancelled: is asked often; if it says so, the rest of the file is not searched.
  ///   - found: is called with each line that contains the pattern.
  /// - Returns: what was done.
  /// - Throws: what kept the file, or the rest of it, from being read.
  func search(
    _ path: Path, isCancelled: () -> Bool, found: (FoundLine) -> Void
  ) throws(SystemError) -> Outcome {
    // What was a file when its directory was read may be a link or a pipe by now.
    let flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
    let descriptor = path.withCString { open($0, flags) }
    if descriptor < 0 { throw SystemError("open") }
    defer { close(descriptor) }
    var window = FileWindow(descriptor: descriptor, buffer: buffer)
    try window.fill()
    if window.isBinary { return .binary }
    var lines = LineSearch(for: pattern)
    lines.search(&window, found: found)
    while !window.isAtEnd && !isCancelled() {
      try window.fill()
      lines.search(&window, found: found)
    }
    return .searched
  }
}
