/// Where a replica takes its time from, so that tests own it.
public struct Timing: Sendable {
  /// The time since any fixed instant.
  public var now: @Sendable () -> Duration

  /// Waits, unless the task is cancelled.
  public var sleep: @Sendable (Duration) async throws -> Void

  /// Takes it from a clock.
  public init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
  }
}

/// How long to wait before the next try: longer each time, up to a second.
struct Backoff {
  private var next = Duration.milliseconds(20)

  mutating func wait(_ timing: Timing) async {
    try? await timing.sleep(next)
    next = min(next * 2, .seconds(1))
  }
}
