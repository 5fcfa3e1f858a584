import Foundation

/// Bodies for the thread that uses the terminal to run.
final class Mailbox: Sendable {
  typealias Body = @Sendable (any TerminalUser) -> Void

  /// Can be read when there is something to run.
  let descriptor: Int32

  private let pipeEnd: Int32
  private let bodies = LockedBox<[Body]>([])

  init() throws(SystemError) {
    (descriptor, pipeEnd) = try makePipe()
  }

  /// Any thread may call this.
  func post(_ body: @escaping Body) {
    let isFirst = bodies.withLock {
      $0.append(body)
      return $0.count == 1
    }
    if isFirst { _ = write(pipeEnd, [1], 1) }
  }

  /// Takes the bodies, in order.
  func take() -> [Body] {
    var byte: UInt8 = 0
    _ = read(descriptor, &byte, 1)
    return bodies.withLock { bodies in
      defer { bodies = [] }
      return bodies
    }
  }
}
