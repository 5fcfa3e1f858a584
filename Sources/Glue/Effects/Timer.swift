/// Measures the time on a clock, from an instant at or before the making of the store.
@usableFromInline
protocol Timer: AnyObject, Sendable {
  /// How much time has passed.
  func elapsed() -> Duration

  /// Sleeps until so much time has passed, or the task is cancelled.
  func sleep(until time: Duration) async

  /// Where the tasks of effects run; nil for where tasks run anyway.
  var executor: (any TaskExecutor)? { get }
}

/// A timer on a clock; all stores with the default clock share one.
@usableFromInline
func makeTimer(on clock: any Clock<Duration>) -> any Timer {
  func make<C: Clock<Duration>>(on clock: C) -> any Timer { ClockTimer(clock) }
  return clock is ContinuousClock ? commonTimer : make(on: clock)
}

private let commonTimer = ClockTimer(ContinuousClock())

private final class ClockTimer<C: Clock<Duration>>: Timer {
  let executor: (any TaskExecutor)?
  private let clock: C
  private let start: C.Instant

  init(_ clock: C) {
    self.clock = clock
    start = clock.now
    executor = (clock as? any ExecutorOwning)?.executor
  }

  func elapsed() -> Duration { start.duration(to: clock.now) }

  /// Sleeps for ninety years at most: within them the instants of no clock overflow.
  func sleep(until time: Duration) async {
    let deadline = start.advanced(by: min(time, .seconds(90 * 366 * 86_400)))
    try? await clock.sleep(until: deadline, tolerance: nil)
  }
}

/// A clock that runs the tasks of the stores that use it on an executor of its own.
package protocol ExecutorOwning: Sendable {
  var executor: any TaskExecutor { get }
}

/// An executor that is to know which effects its tasks work for.
package protocol EffectNoting {
  /// Notes that the current task works for an effect.
  func note(_ effect: any Effect)
}
