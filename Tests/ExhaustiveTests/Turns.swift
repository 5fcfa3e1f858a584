import Foundation
import InterleavedGlue

/// Threads that take turns: one runs until it releases a lock, where another may continue.
///
/// The next thread is a choice. A thread that could continue is left a limited number of times,
/// which finds nearly all mistakes of this kind in few orders.
///
/// `@unchecked Sendable` is sound because only the thread that has the turn uses it.
final class Turns: @unchecked Sendable {
  private final class Worker: @unchecked Sendable {
    let turn = DispatchSemaphore(value: 0)
    var body: (@Sendable () -> Void)?
    var thread: pthread_t?
    var isDone = false
  }

  private var workers: [Worker] = []
  private var current = 0
  private var switches: Int
  private let choices: Choices
  private let end = DispatchSemaphore(value: 0)

  init(_ choices: Choices, switches: Int) {
    (self.choices, self.switches) = (choices, switches)
  }

  /// Adds a thread, which waits for its turn.
  func start(_ body: @escaping @Sendable () -> Void) {
    let worker = Worker()
    worker.body = body
    workers.append(worker)
    Thread.detachNewThread { [self] in
      worker.turn.wait()
      worker.thread = pthread_self()
      worker.body?()
      // The body's captures are released in its turn too, because that may take locks.
      worker.body = nil
      worker.isDone = true
      guard let next = chooseReady() else { return _ = end.signal() }
      pass(to: next)
    }
  }

  /// Runs all threads to their ends.
  func run() {
    atUnlock = { [unowned self] in offer() }
    defer { atUnlock = nil }
    if let first = chooseReady() { pass(to: first) }
    end.wait()
  }

  /// Lets another thread continue, or not.
  private func offer() {
    let worker = workers[current]
    guard switches > 0, worker.thread == pthread_self() else { return }
    let others = ready.filter { $0 != current }
    if others.isEmpty { return }
    let chosen = choices.choose(below: others.count + 1)
    if chosen == 0 { return }
    switches -= 1
    pass(to: others[chosen - 1])
    worker.turn.wait()
  }

  private var ready: [Int] { workers.indices.filter { !workers[$0].isDone } }

  private func chooseReady() -> Int? {
    let ready = ready
    return ready.isEmpty ? nil : ready[choices.choose(below: ready.count)]
  }

  private func pass(to worker: Int) {
    current = worker
    workers[worker].turn.signal()
  }
}
