import Foundation
import Synchronization

/// The output to one descriptor, at once and in order.
///
/// After a failed write it takes no more; ``check()`` throws the error.
final class Output: Sendable {
  private let descriptor: Int32
  private let interruption: Int32

  /// The `errno` of the write that has failed, or 0.
  private let failure = Atomic<Int32>(0)

  /// - Parameters:
  ///   - descriptor: the descriptor to write to.
  ///   - interruption: a descriptor that, once it can be read, makes a write give up instead of
  ///     waiting until `descriptor` takes it.
  init(_ descriptor: Int32, interruption: Int32 = -1) {
    self.descriptor = descriptor
    self.interruption = interruption
  }

  /// Throws the failure of an earlier write.
  func check() throws(SystemError) {
    let code = failure.load(ordering: .relaxed)
    if code != 0 { throw SystemError("write to standard output", code: code) }
  }

  /// Writes all of the text, unless a write has failed or is interrupted.
  func write(_ text: String) {
    write(bytes: Array(text.utf8))
  }

  /// Writes all of the bytes, unless a write has failed or is interrupted.
  func write(bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty && failure.load(ordering: .relaxed) == 0 {
      if interruption >= 0 && !wait() { return }
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest.removeFirst(count)
      } else if errno == EAGAIN {
        _ = wait()
      } else if errno != EINTR {
        failure.store(errno, ordering: .relaxed)
      }
    }
  }

  /// Waits until the descriptor takes bytes, and returns whether it does.
  private func wait() -> Bool {
    waitFor(reading: [interruption], writing: descriptor).contains(descriptor)
  }
}
