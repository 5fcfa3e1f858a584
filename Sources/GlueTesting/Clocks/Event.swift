internal import Glue

/// An event that happens again and again, and that tasks wait for.
final class Event: Sendable {
  private struct Waiting {
    var lastNumber = 0
    var all: [(number: Int, stream: AsyncStream<Never>.Continuation)] = []
  }

  private let waiting = Locked(Waiting())

  /// Resumes the waiting tasks, in the order in which they came; no lock may be held.
  func happen() {
    for stream in takeWaiting() { stream.finish() }
  }

  /// The waiting tasks' continuations, to be resumed when no lock is held.
  func takeWaiting() -> [AsyncStream<Never>.Continuation] {
    waiting.withLock { waiting in
      defer { waiting.all = [] }
      return waiting.all.map(\.stream)
    }
  }

  /// Returns when it happens, or when the calling task is canceled.
  ///
  /// - Parameter isNeedless: is called once no later event can be missed.
  nonisolated(nonsending) func wait(unless isNeedless: () -> Bool) async {
    let (stream, continuation) = AsyncStream<Never>.makeStream()
    let number = waiting.withLock { waiting in
      waiting.lastNumber += 1
      waiting.all.append((waiting.lastNumber, continuation))
      return waiting.lastNumber
    }
    if !isNeedless() { for await _ in stream {} }
    waiting.withLock { $0.all.removeAll { $0.number == number } }
  }
}

/// Waits for work that checks for cancellation, but no longer than this real time; no other limit
/// ends it.
nonisolated(nonsending) func wait(
  atMost limit: Duration, for work: @escaping @Sendable () async -> Void
) async {
  await withTaskGroup { group in
    group.addTask { await TestExecutor.hasOwnLimit.withValue(true) { await work() } }
    group.addTask { try? await Task.sleep(for: limit) }
    await group.next()
    group.cancelAll()
  }
}
