import Foundation
import Synchronization

/// Where lines go, each as a whole.
final class LineOutput: Sendable {
  private let descriptor: Int32

  /// The number of the error of the write that has failed, or 0; and the lock of writing.
  private let failure = Mutex<Int32>(0)

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes all of a text, unless a write has failed.
  ///
  /// - Returns: whether it was written.
  func write(_ text: String) -> Bool {
    failure.withLock { failure in
      var rest = Array(text.utf8)[...]
      while !rest.isEmpty && failure == 0 {
        let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        if count >= 0 {
          rest.removeFirst(count)
        } else if errno == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else if errno != EINTR {
          failure = errno
        }
      }
      return failure == 0
    }
  }

  /// Why lines were not written; that nobody reads them any more is no failure.
  var refusal: [String] {
    let code = failure.withLockIfAvailable { $0 } ?? 0
    if code == 0 || code == EPIPE { return [] }
    return ["standard output: \(String(cString: strerror(code)))"]
  }
}
