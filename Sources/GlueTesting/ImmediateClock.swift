internal import Glue

/// A clock on which nothing takes time: whoever waits for a deadline goes on at once, and it is
/// then.
///
/// For tests, and previews, of what happens and not of when. Effects with a delay start at once, in
/// the order in which their tasks come to wait.
public final class ImmediateClock: Clock, Sendable {
  /// A time on an ``ImmediateClock``.
  public typealias Instant = TestClock.Instant

  private let time = Guarded(Instant(offset: .zero))

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
}
