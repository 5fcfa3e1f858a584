/// Measures time on a clock, from an instant at or before the creation of the store.
@usableFromInline
final class Timer: Sendable {
  let elapsed: @Sendable () -> Duration

  /// Sleeps until that much time has passed, or the task is canceled.
  let sleep: @Sendable (_ time: Duration) async -> Void

  /// The clock, if its owner runs what stores leave to the system.
  let owner: (any OwnedClock)?

  /// The executor of effects' tasks; nil for the default one.
  let executor: (any TaskExecutor)?

  fileprivate init<C: Clock<Duration>>(_ clock: C) {
    let start = clock.now
    owner = clock as? any OwnedClock
    executor = owner?.executor
    elapsed = { start.duration(to: clock.now) }
    sleep = { time in
      let deadline = start.advanced(by: min(time, longestTime))
      try? await clock.sleep(until: deadline, tolerance: nil)
    }
  }
}

/// A timer on a clock; all stores with the default clock share one.
@usableFromInline
func makeTimer(on clock: any Clock<Duration>) -> Timer {
  clock is ContinuousClock ? commonTimer : Timer(clock)
}

/// Ninety years: within them no clock's instants overflow.
package let longestTime = Duration.seconds(90 * 366 * 86_400)

private let commonTimer = Timer(ContinuousClock())
