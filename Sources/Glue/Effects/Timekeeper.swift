/// A clock whose time is counted from when it was asked for first.
struct Timekeeper: Sendable {
  /// How much time has passed.
  let elapsed: @Sendable () -> Duration

  /// Sleeps until so much time has passed, or the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void

  /// Asks the clock nothing yet, so that it may be made with a lock held.
  init<C: Clock<Duration>>(of clock: C) {
    let start = Start(of: clock)
    elapsed = { start.instant.duration(to: clock.now) }
    sleep = { until in
      let deadline = start.instant.advanced(by: min(until, longestTime))
      try? await clock.sleep(until: deadline, tolerance: nil)
    }
  }
}

/// When a clock was asked for first.
private final class Start<C: Clock>: Sendable {
  private let clock: C
  private let first = Guarded<C.Instant?>(nil)

  init(of clock: C) { self.clock = clock }

  var instant: C.Instant {
    if let instant = first.withLock({ $0 }) { return instant }
    let now = clock.now
    return first.withLock { first in
      let instant = first ?? now
      first = instant
      return instant
    }
  }
}

/// Ninety years: within them the instants of no clock overflow.
private let longestTime = Duration.seconds(90 * 366 * 86_400)

/// A clock that runs the tasks of the stores that use it on an executor of its own.
package protocol ExecutorOwning: Sendable {
  var executor: any TaskExecutor { get }
}
