import Foundation

/// Where all text for one descriptor goes, at once and in order.
///
/// After a write has failed it takes no more; ``check()`` tells.
package final class Output: Sendable {
  private let descriptor: Int32
  private let interruption: Int32
  private let failure = Locked<SystemError?>(nil)

  /// - Parameters:
  ///   - descriptor: what to write to.
  ///   - interruption: a descriptor that, once it can be read, makes a write give up instead of
  ///     waiting until `descriptor` takes it.
  package init(_ descriptor: Int32, interruption: Int32 = -1) {
    self.descriptor = descriptor
    self.interruption = interruption
  }

  /// Throws the failure of an earlier write.
  package func check() throws(SystemError) {
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  /// Writes all of the text, unless a write has failed or is interrupted.
  package func write(_ text: String) {
    write(bytes: Array(text.utf8))
  }

  /// Writes all of the bytes, unless a write has failed or is interrupted.
  package func write(bytes: [UInt8]) {
    failure.withLock { failure in
      var rest = bytes[...]
      while !rest.isEmpty && failure == nil {
        if !wait(for: descriptor, to: POLLOUT, unless: interruption).isReady { return }
        do throws(SystemError) { try writeSome(of: &rest) } catch { failure = error }
      }
    }
  }

  private func writeSome(of rest: inout ArraySlice<UInt8>) throws(SystemError) {
    let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
    if count >= 0 {
      rest.removeFirst(count)
    } else if errno != EINTR && errno != EAGAIN {
      throw SystemError("write to standard output")
    }
  }
}
