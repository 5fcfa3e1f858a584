import TerminalSupport
import Foundation

/// What other threads want the main loop to run.
final class Mailbox: Sendable {
  private let pipe = Pipe()
  private let bodies = Locked<[@Sendable () -> Void]>([])

  init() {
    for end in [pipe.fileHandleForReading, pipe.fileHandleForWriting] {
      _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
  }

  /// Can be read when there is something to run.
  var descriptor: Int32 { pipe.fileHandleForReading.fileDescriptor }

  /// Has the loop run a body; any thread may call this.
  func post(_ body: @escaping @Sendable () -> Void) {
    let isFirst = bodies.withLock {
      $0.append(body)
      return $0.count == 1
    }
    if isFirst { _ = write(pipe.fileHandleForWriting.fileDescriptor, [1], 1) }
  }

  /// Runs what there is, in order; the loop calls this when ``descriptor`` can be read.
  func run() {
    var byte: UInt8 = 0
    _ = read(descriptor, &byte, 1)
    let posted = bodies.withLock { bodies in
      defer { bodies = [] }
      return bodies
    }
    for body in posted { body() }
  }
}
