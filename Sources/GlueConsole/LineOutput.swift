import Foundation

/// Where lines go, each as a whole and in order.
///
/// Who writes does it himself as long as the descriptor takes all at once; what it does not take,
/// because nobody reads, waits for a thread that is there for as long as something waits.
///
/// `@unchecked Sendable` is sound because what changes is used with the condition's lock held alone.
final class LineOutput: @unchecked Sendable {
  /// How many bytes may wait before who writes has to wait as well.
  private static let limit = 1 << 20

  private let descriptor: Int32
  private let condition = NSCondition()

  /// What the descriptor has not taken yet.
  private var rest: ArraySlice<UInt8> = []
  private var hasThread = false

  /// Whether nobody waits for room any more: what there is no room for is dropped.
  private var isEnding = false
  private var dropped = 0

  /// The number of the error of the write that has failed, or 0.
  private var failure: Int32 = 0

  init(_ descriptor: Int32) {
    self.descriptor = descriptor
  }

  /// Writes all of a text, or has it wait, unless a write has failed.
  ///
  /// - Returns: whether none has.
  func write(_ text: String) -> Bool {
    condition.withLock {
      while rest.count >= Self.limit && failure == 0 && !isEnding { condition.wait() }
      if rest.count >= Self.limit {
        dropped += text.utf8.count
      } else {
        rest += text.utf8
      }
      if !hasThread { writeWhatIsTaken() }
      if !hasThread && !rest.isEmpty {
        hasThread = true
        Thread.detachNewThread { self.writeRest() }
      }
      return failure == 0
    }
  }

  /// Has nobody wait for room any more.
  func beginToEnd() {
    condition.withLock {
      isEnding = true
      condition.broadcast()
    }
  }

  /// Waits until nothing waits any more, if a time is given no longer than that.
  ///
  /// - Returns: what was not written, in words; that nobody reads any more is no failure.
  func end(within time: Duration?) -> [String] {
    // The system's type of times overflows at larger ones.
    let date = time.map { Date(timeIntervalSinceNow: min($0 / .seconds(1), 1e9)) }
    return condition.withLock {
      while !rest.isEmpty {
        guard let date else {
          condition.wait()
          continue
        }
        if !condition.wait(until: date) { break }
      }
      if failure != 0 && failure != EPIPE {
        return ["standard output: \(String(cString: strerror(failure)))"]
      }
      let unread = rest.count + dropped
      return unread == 0 ? [] : ["standard output: \(unread) bytes, which nobody reads"]
    }
  }

  /// Writes what the descriptor takes without waiting: if it takes anything, then so many bytes.
  private func writeWhatIsTaken() {
    while !rest.isEmpty && failure == 0 && isReady(within: 0) {
      let count = rest.prefix(Int(PIPE_BUF)).withUnsafeBytes {
        Foundation.write(descriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        break
      } else if errno != EINTR {
        failure = errno
      }
    }
    if failure != 0 { (rest, dropped) = ([], 0) }
  }

  private func writeRest() {
    while true {
      _ = isReady(within: -1)
      let isOver = condition.withLock {
        writeWhatIsTaken()
        hasThread = !rest.isEmpty
        condition.broadcast()
        return !hasThread
      }
      if isOver { return }
    }
  }

  private func isReady(within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}
