public import Glue

/// A clock on which nothing takes time: whoever waits for a deadline goes on at once, and it is
/// then.
///
/// For tests of what happens and not of when. A store that is given this clock runs the tasks of
/// its effects as with a ``TestClock``, one job at a time, so effects with a delay start at once,
/// in the order of their emission. After ``rest()`` all is over that does not wait for something
/// outside.
///
///     let clock = ImmediateClock()
///     let store = Store(state: Search(), reducer: search, clock: clock)
///     store.add(effectHandler: Searching())
///     store.dispatch(SearchIntent.typed("glue"))
///     await clock.rest()
///     #expect(store.state.results.count == 3)
///
/// A task that waits again and again, such as a ticker, never rests: such things want a
/// ``TestClock``. Any thread may use it.
public final class ImmediateClock: Clock, ExecutorOwning {
  /// A time on an ``ImmediateClock``.
  public typealias Instant = TestClock.Instant

  private let time = Guarded(Instant(offset: .zero))
  private let ownExecutor = TestExecutor()

  package var executor: any TaskExecutor { ownExecutor }

  /// Makes a clock that stands at zero.
  public init() {}

  /// The latest deadline that somebody has waited for.
  public var now: Instant { time.withLock { $0 } }

  /// Zero: instants are compared exactly.
  public var minimumResolution: Duration { .zero }

  /// Sets the clock to a deadline, if that lies ahead, and returns.
  ///
  /// - Parameters:
  ///   - deadline: the time that it is then.
  ///   - tolerance: is not used.
  /// - Throws: `CancellationError`, if the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
  }

  /// Returns when no task of the stores with this clock has anything to do now, or when the calling
  /// task is cancelled.
  public nonisolated(nonsending) func rest() async {
    await ownExecutor.rest()
  }
}
