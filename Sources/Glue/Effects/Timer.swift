/// A clock whose time is counted from when it was asked for first.
struct Timer: Sendable {
  private let clock: any Clock<Duration>
  private let start = Start()

  /// Asks the clock nothing yet, so that it may be made with a lock held.
  init(of clock: any Clock<Duration>) { self.clock = clock }

  /// How much time has passed.
  func elapsed() -> Duration { elapsed(on: clock) }

  /// Sleeps until so much time has passed, or the task is cancelled.
  func sleep(until time: Duration) async { await sleep(until: time, on: clock) }

  private func elapsed<C: Clock<Duration>>(on clock: C) -> Duration {
    start.instant(of: clock).duration(to: clock.now)
  }

  private func sleep<C: Clock<Duration>>(until time: Duration, on clock: C) async {
    let deadline = start.instant(of: clock).advanced(by: min(time, longestTime))
    try? await clock.sleep(until: deadline, tolerance: nil)
  }
}

/// When a clock was asked for first.
private final class Start: Sendable {
  private let first = Guarded<(any InstantProtocol)?>(nil)

  func instant<C: Clock>(of clock: C) -> C.Instant {
    if let instant = first.withLock({ $0 }) as? C.Instant { return instant }
    let now = clock.now
    return first.withLock { first in
      let instant = first as? C.Instant ?? now
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

/// An executor that is to know which effects its tasks work for.
package protocol EffectNoting {
  /// Notes that the current task works for an effect.
  func note(_ effect: any Effect)
}
