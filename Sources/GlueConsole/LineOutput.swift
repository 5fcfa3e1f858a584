import Foundation

/// An output of lines, each whole and in order, for a program without a ``Console``.
///
/// The writing thread writes as long as the descriptor takes everything at once. A slow reader
/// leaves a rest, which a temporary thread writes. No thread holds the lock while it writes.
///
/// `@unchecked Sendable` is sound because the variables are used with the condition's lock held
/// alone.
public final class LineOutput: @unchecked Sendable {
  /// How many bytes may wait before a writing thread waits as well.
  private static let limit = 1 << 20

  private let descriptor: Int32
  private let name: String
  private let onFailure: @Sendable (Int32) -> Void
  private let condition = NSCondition()

  /// The bytes that the descriptor has not taken yet.
  private var rest: ArraySlice<UInt8> = []

  /// Whether a thread writes, or will.
  private var isWriting = false
  private var phase = Phase.open

  private enum Phase {
    case open

    /// No thread waits for room any more: text without room is dropped.
    case ending

    /// Text that isn't taken within a second is dropped.
    case ended
  }

  private var status: StatusLine

  /// How many bytes were dropped.
  private var dropped = 0

  /// The number of the error of the write that has failed, or 0.
  private var failure: Int32 = 0

  /// Makes one.
  ///
  /// - Parameters:
  ///   - descriptor: what to write to, such as `STDOUT_FILENO`.
  ///   - name: the output's name in what ``end(within:)`` returns.
  ///   - onFailure: gets the number of the error of the first write that fails, on any thread. After
  ///     that, nothing is written.
  public init(
    _ descriptor: Int32, _ name: String, onFailure: @escaping @Sendable (Int32) -> Void
  ) {
    self.descriptor = descriptor
    self.name = name
    self.onFailure = onFailure
    status = StatusLine(descriptor)
  }

  /// Writes all of a text, or queues it, unless a write has failed.
  func write(_ text: String) { write(bytes: Array(text.utf8)) }

  /// Writes a text to this terminal while another output shows a last line, which is erased first
  /// and then redrawn.
  public func write(_ text: String, above other: LineOutput) {
    let isTorn = other.hasStatus && isatty(descriptor) == 1
    write((isTorn ? "\r\u{1B}[K" : "") + text)
    if isTorn { other.showStatus { $0.isStale = true } }
  }

  /// Writes all of the bytes, or queues them, unless a write has failed.
  ///
  /// Beyond 1 MiB in the queue, the call waits for the reader.
  public func write(bytes: [UInt8]) {
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

  /// Shows a last line, or none, as ``Console/status(_:)`` does.
  public func show(_ status: String?) { showStatus { $0.show(status) } }

  /// Changes the last line, which is drawn when all earlier text is written.
  func showStatus(_ change: (inout StatusLine) -> Void) {
    writeAfter {
      change(&status)
      return status.isStale && failure == 0 && phase != .ended
    }
  }

  /// Whether the last line has a text.
  var hasStatus: Bool { condition.withLock { status.text != nil } }

  /// Ends the last line, so that others write below it; if it is drawn again, it is drawn there.
  func leaveStatus(forGood: Bool) {
    writeAfter {
      guard status.text != nil, failure == 0 else { return false }
      rest += ((status.isStale ? status.drawing() : "") + "\n").utf8
      if forGood { status.show(nil) }
      status.isStale = false
      return true
    }
  }

  /// Waits until nothing is queued, for a second at most.
  func awaitIdleness() {
    let date = Date(timeIntervalSinceNow: 1)
    condition.withLock { while isWriting && condition.wait(until: date) {} }
  }

  /// Ends all waits for room.
  func beginToEnd() {
    condition.withLock {
      phase = .ending
      condition.broadcast()
    }
    leaveStatus(forGood: true)
  }

  /// Waits until nothing is queued, at most for the given time; nil is without limit.
  ///
  /// - Returns: descriptions of what was not written; a missing reader is no failure.
  public func end(within time: Duration?) -> [String] {
    // The system's date type overflows at larger times.
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
      return unread == 0 ? [] : ["\(name): \(unread) bytes without a reader"]
    }
  }

  /// Changes the queue, and writes it unless another thread does.
  ///
  /// - Parameter change: is called with the lock held, and returns whether there is something to
  ///   write.
  private func writeAfter(_ change: () -> Bool) {
    let mayWrite = condition.withLock {
      if !change() { return false }
      defer { isWriting = true }
      return !isWriting
    }
    if mayWrite { writeRest(waiting: false) }
  }

  /// Writes until nothing is queued, or leaves the rest to a thread, which waits for the reader.
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

  /// The bytes to write next, and for how many milliseconds to wait until they are taken; nil if
  /// there are none.
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
