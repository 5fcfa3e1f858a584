import Glue
import GlueTesting

/// A task that waits for something, on the executor of a test clock, so that the clock's `rest()`
/// returns when it has got as far as it can.
struct Waiter: Sendable {
  let task: Task<Void, Never>
  private let hasReturned = Shared(false)

  /// Starts to wait.
  init(on clock: TestClock, _ body: @escaping @Sendable () async -> Void) async {
    task = Task(executorPreference: clock.executor) { [hasReturned] in
      await body()
      hasReturned.value = true
    }
    await clock.rest()
  }

  var isOver: Bool { hasReturned.value }
}
