import Foundation
import TerminalSupport

/// The part of a file that is in memory: it moves through the file and never grows.
struct FileWindow {
  let descriptor: Int32

  /// Where in the file it begins.
  private(set) var offset = 0

  /// Whether it reaches to the end of the file.
  private(set) var isAtEnd = false

  private let buffer: UnsafeMutableRawBufferPointer
  private var count = 0

  init(descriptor: Int32, buffer: UnsafeMutableRawBufferPointer) {
    self.descriptor = descriptor
    self.buffer = buffer
  }

  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

  /// Whether it begins as no text does: with a NUL in the first 8 KiB.
  var isBinary: Bool { memchr(buffer.baseAddress!, 0, min(count, 8_192)) != nil }

  /// Reads until the buffer is full or the file ends.
  mutating func fill() throws(SystemError) {
    while !isAtEnd && count < buffer.count {
      let result = read(descriptor, buffer.baseAddress! + count, buffer.count - count)
      if result < 0 && errno == EINTR { continue }
      if result < 0 { throw SystemError("read") }
      count += result
      isAtEnd = result == 0
    }
  }

  /// Lets go of the beginning.
  mutating func drop(_ dropped: Int) {
    offset += dropped
    count -= dropped
    memmove(buffer.baseAddress!, buffer.baseAddress! + dropped, count)
  }
}
