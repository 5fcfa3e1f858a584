internal import Dispatch

/// The calls of a store that the main actor takes, in one order.
///
/// Where a delivery is made on the main queue and no earlier call waits, the call is made at once.
/// Otherwise it waits, and one task of the main actor's makes those that wait.
final class MainActorCalls: Sendable {
  private struct Queue {
    var waiting: [@MainActor @Sendable () -> Void] = []

    /// Whether a task makes calls, or will.
    ///
    /// Nobody else makes any meanwhile, not even for what such a call dispatches: that one would be
    /// made inside it.
    var hasTask = false
  }

  private let queue = Guarded(Queue())

  /// Notes that a call is moved, for as long as what this returns is held.
  private let begin: @Sendable () -> CallInFlight?

  init(begin: @escaping @Sendable () -> CallInFlight?) {
    self.begin = begin
  }

  /// Whether a call may be made at once, by the one who delivers.
  ///
  /// It stays so until that one moves a call, for nobody else does.
  var areMadeAtOnce: Bool { isOnMainQueue() && !queue.withLock { $0.hasTask } }

  /// Makes a call at once or moves it.
  func make(_ call: @escaping @MainActor @Sendable () -> Void) {
    if areMadeAtOnce { makeAtOnce(call) } else { move(call) }
  }

  /// Makes a call on the main queue.
  ///
  /// The bit cast is sound because a function's isolation is no part of its representation;
  /// `MainActor.assumeIsolated` does the same. That is not used because it asks again where it
  /// runs, in ways that have varied: on Linux the main actor leaves the main thread when an
  /// asynchronous `main` is first suspended.
  func makeAtOnce(_ call: @escaping @MainActor @Sendable () -> Void) {
    unsafeBitCast(call, to: (@Sendable () -> Void).self)()
  }

  /// Leaves a call to the task that makes those that wait.
  ///
  /// The task is detached because it makes the calls of others as well: what is local to the task
  /// that causes the first one does not concern them.
  func move(_ call: @escaping @MainActor @Sendable () -> Void) {
    let moved = begin()
    let isFirst = queue.withLock { queue in
      queue.waiting.append { withExtendedLifetime(moved) { call() } }
      defer { queue.hasTask = true }
      return !queue.hasTask
    }
    if isFirst { Task.detached(operation: makeWaiting) }
  }

  /// Makes the calls that wait, and lets others use the main actor before those that come then.
  @MainActor
  private func makeWaiting() async {
    var calls = takeWaiting()
    while !calls.isEmpty {
      while let call = calls.popLast() { call() }
      calls = takeWaiting()
      if !calls.isEmpty { await Task.yield() }
    }
  }

  /// Takes the calls that wait, the last one first; if there are none, the task has ended.
  private func takeWaiting() -> [@MainActor @Sendable () -> Void] {
    queue.withLock { queue in
      queue.hasTask = !queue.waiting.isEmpty
      defer { queue.waiting = [] }
      return queue.waiting.reversed()
    }
  }
}

/// Whether the caller runs on the main queue, as the main actor does.
private func isOnMainQueue() -> Bool {
  DispatchQueue.getSpecific(key: mainQueueKey) != nil
}

private let mainQueueKey = {
  let key = DispatchSpecificKey<Void>()
  DispatchQueue.main.setSpecific(key: key, value: ())
  return key
}()
