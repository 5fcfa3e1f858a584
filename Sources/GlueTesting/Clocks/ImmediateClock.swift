public import Glue

/// A clock on which nothing takes time: a sleep returns at once, and the time is its deadline.
///
/// For tests that ask what happens, not when. A store with this clock runs the tasks of its effects
/// as with a ``TestClock``, one job at a time. So effects with a delay start at once, in the order
/// of emission. After ``rest()``, everything has finished that doesn't wait for an event
/// outside.
///
///     let clock = ImmediateClock()
///     let store = Store(state: Search(), reducer: search, clock: clock)
///     store.add(effectHandler: Searching())
///     store.dispatch(SearchIntent.typed("glue"))
///     await clock.rest()
///     #expect(store.state.results.count == 3)
///
/// A task that sleeps again and again, such as a ticker, never rests: use a ``TestClock`` for it.
/// Any thread may use the clock.
public final class ImmediateClock: Clock, ExecutorOwning {
  /// A time on an ``ImmediateClock``.
  public typealias Instant = TestClock.Instant

  private let time = Locked(Instant(offset: .zero))
  private let ownExecutor = TestExecutor()

  package var executor: any TaskExecutor { ownExecutor }

  /// Creates a clock at time zero.
  public init() {}

  /// The latest deadline that a task has slept until.
  public var now: Instant { time.withLock { $0 } }

  /// Zero: instants are compared exactly.
  public var minimumResolution: Duration { .zero }

  /// Sets the clock to a deadline, if that lies ahead, and returns.
  ///
  /// - Parameters:
  ///   - deadline: the clock's new time.
  ///   - tolerance: is ignored.
  /// - Throws: `CancellationError`, if the task is canceled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
  }

  /// Returns when no task of the stores with this clock has work now, or when the calling task is
  /// canceled.
  public nonisolated(nonsending) func rest() async {
    await ownExecutor.rest()
  }
}
