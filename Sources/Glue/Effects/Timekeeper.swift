/// A clock whose time is counted from when this was made.
struct Timekeeper: Sendable {
  /// How much time has passed.
  let elapsed: @Sendable () -> Duration

  /// Sleeps until so much time has passed, or the task is cancelled.
  let sleep: @Sendable (_ until: Duration) async -> Void

  init<C: Clock<Duration>>(of clock: C) {
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
    sleep = { until in
      try? await clock.sleep(until: start.advanced(by: min(until, longestTime)), tolerance: nil)
    }
  }
}

/// Ninety years: within them the instants of no clock overflow.
private let longestTime = Duration.seconds(90 * 366 * 86_400)

/// A clock that runs the tasks of the stores that use it on an executor of its own.
package protocol ExecutorOwning: Sendable {
  var executor: any TaskExecutor { get }
}
