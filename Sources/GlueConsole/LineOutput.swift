import Foundation

/// Where lines go, each as a whole and in order.
///
/// Who writes does it himself as long as the descriptor takes all at once. What it does not take,
/// because nobody reads, is left to a thread that is there for as long as something waits. Nobody
/// holds the lock while he writes.
///
/// `@unchecked Sendable` is sound because what changes is used with the condition's lock held alone.
package final class LineOutput: @unchecked Sendable {
  /// How many bytes may wait before who writes has to wait as well.
  private static let limit = 1 << 20

  private let descriptor: Int32
  private let name: String
  private let onFailure: @Sendable (Int32) -> Void
  private let condition = NSCondition()

  /// What the descriptor has not taken yet.
  private var rest: ArraySlice<UInt8> = []

  /// Whether somebody writes, or the thread will.
  private var isWriting = false
  private var phase = Phase.open

  private enum Phase {
    case open

    /// Nobody waits for room any more: what there is no room for is dropped.
    case ending

    /// What is not taken within a second is dropped.
    case ended
  }

  private var status: StatusLine

  /// How many bytes were dropped.
  private var dropped = 0

  /// The number of the error of the write that has failed, or 0.
  private var failure: Int32 = 0

  package init(
    _ descriptor: Int32, _ name: String, onFailure: @escaping @Sendable (Int32) -> Void
  ) {
    self.descriptor = descriptor
    self.name = name
    self.onFailure = onFailure
    status = StatusLine(descriptor)
  }

  /// Writes all of a text, or has it wait, unless a write has failed.
  func write(_ text: String) { write(bytes: Array(text.utf8)) }

  /// Writes a text to this terminal on which another output shows a last line: that is erased first,
  /// and drawn again.
  package func write(_ text: String, above other: LineOutput) {
    let isTorn = other.hasStatus && isatty(descriptor) == 1
    write((isTorn ? "\r\u{1B}[K" : "") + text)
    if isTorn { other.showStatus { $0.isStale = true } }
  }

  /// Writes all of the bytes, or has them wait, unless a write has failed.
  package func write(bytes: [UInt8]) {
    writeAfter {
      while rest.count >= Self.limit && failure == 0 && phase == .open { condition.wait() }
      if failure != 0 { return false }
      if rest.count >= Self.limit {
        dropped += bytes.count
        return false
      }
      rest += status.erasure().utf8
      rest += bytes
      return true
    }
  }

  /// Shows a last line, or none.
  package func show(_ status: String?) { showStatus { $0.show(status) } }

  /// Changes the last line, which is drawn when all before it is written.
  func showStatus(_ change: (inout StatusLine) -> Void) {
    writeAfter {
      change(&status)
      return status.isStale && failure == 0 && phase != .ended
    }
  }

  /// Whether the last line says something.
  var hasStatus: Bool { condition.withLock { status.text != nil } }

  /// Ends the last line, for others to write below it; if it is drawn again, there.
  func leaveStatus(forGood: Bool) {
    writeAfter {
      guard status.text != nil, failure == 0 else { return false }
      rest += ((status.isStale ? status.drawing() : "") + "\n").utf8
      if forGood { status.show(nil) }
      status.isStale = false
      return true
    }
  }

  /// Waits until nothing waits any more, for a second at most.
  func awaitIdleness() {
    let date = Date(timeIntervalSinceNow: 1)
    condition.withLock { while isWriting && condition.wait(until: date) {} }
  }

  /// Has nobody wait for room any more.
  func beginToEnd() {
    condition.withLock {
      phase = .ending
      condition.broadcast()
    }
    leaveStatus(forGood: true)
  }

  /// Waits until nothing waits any more, if a time is given no longer than that.
  ///
  /// - Returns: what was not written, in words; that nobody reads any more is no failure.
  package func end(within time: Duration?) -> [String] {
    // The system's type of times overflows at larger ones.
    let date = time.map { Date(timeIntervalSinceNow: min($0 / .seconds(1), 1e9)) }
    return condition.withLock {
      while isWriting {
        guard let date else {
          condition.wait()
          continue
        }
        if !condition.wait(until: date) { break }
      }
      phase = .ended
      if failure != 0 && failure != EPIPE {
        return ["\(name): \(String(cString: strerror(failure)))"]
      }
      let unread = rest.count + dropped
      return unread == 0 ? [] : ["\(name): \(unread) bytes, which nobody reads"]
    }
  }

  /// Changes what waits, and writes it unless another thread does.
  ///
  /// - Parameter change: is called with the lock held, and returns whether there is something to write.
  private func writeAfter(_ change: () -> Bool) {
    let mayWrite = condition.withLock {
      if !change() { return false }
      defer { isWriting = true }
      return !isWriting
    }
    if mayWrite { writeRest(waiting: false) }
  }

  /// Writes until nothing waits, or leaves the rest to a thread, which waits for who reads.
  private func writeRest(waiting: Bool) {
    while let (part, time) = next(waiting: waiting) {
      if !isReady(within: time) {
        if time == 0 { return Thread.detachNewThread { self.writeRest(waiting: true) } }
        drop()
        continue
      }
      let count = part.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      let code = count < 0 ? errno : 0
      let hasFailed = condition.withLock {
        if count > 0 { rest.removeFirst(min(count, rest.count)) }
        if code != 0 && code != EINTR && code != EAGAIN { (failure, rest, dropped) = (code, [], 0) }
        condition.broadcast()
        return failure != 0
      }
      if hasFailed { onFailure(code) }
    }
  }

  /// What is to be written next, and for how long to wait until it is taken, in milliseconds; nil if
  /// nothing is.
  private func next(waiting: Bool) -> ([UInt8], Int32)? {
    condition.withLock {
      if rest.isEmpty && status.isStale && failure == 0 { rest += status.drawing().utf8 }
      isWriting = !rest.isEmpty
      if isWriting {
        return (Array(rest.prefix(Int(PIPE_BUF))), waiting ? -1 : phase == .ended ? 1000 : 0)
      }
      condition.broadcast()
      return nil
    }
  }

  private func drop() {
    condition.withLock {
      dropped += rest.count
      rest = []
    }
  }

  private func isReady(within milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }
}
