internal import Dispatch
internal import Foundation
package import Testing

extension Tag {
  /// Several threads use the library at once: `.ci/run` repeats these tests under the thread
  /// sanitizer.
  @Tag package static var threads: Tag
}

/// Runs a body on a thread of its own, on which it may block, while the test awaits it.
package func onThread<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
  await withCheckedContinuation { continuation in
    startThread { continuation.resume(returning: body()) }
  }
}

/// Starts a thread and lets it run.
package func startThread(_ body: @escaping @Sendable () -> Void) {
  let thread = Thread(block: body)
  thread.stackSize = 512 << 10  // small, so that a stack that grows with a chain ends it early
  thread.start()
}

/// Runs a body on several threads at once and waits for all, blocking the calling thread.
package func onThreads(_ count: Int, _ body: @escaping @Sendable (_ thread: Int) -> Void) {
  let group = DispatchGroup()
  let start = Gate()
  for index in 0..<count {
    group.enter()
    startThread {
      start.pass()
      body(index)
      group.leave()
    }
  }
  start.open()
  group.wait()
}

/// Where threads wait until it is opened; once open it stays so.
package final class Gate: Sendable {
  private let semaphore = DispatchSemaphore(value: 0)

  package init() {}

  /// Waits until the gate is open.
  package func pass() {
    semaphore.wait()
    semaphore.signal()
  }

  package func open() { semaphore.signal() }
}
