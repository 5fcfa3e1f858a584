import Foundation
import Glue

/// A clock that measures from its creation, without instants.
struct Timing: Sendable {
  let now: @Sendable () -> Duration
  let sleep: @Sendable (Duration) async throws -> Void

  /// Sleeps until `now` is at a deadline, or a little later.
  let waitUntil: @Sendable (Duration) async throws -> Void

  /// The executor of tasks; nil for the default one.
  let executor: (any TaskExecutor)?

  /// The date in a while.
  let date: @Sendable (Duration) -> Date

  /// A random number.
  let number: @Sendable () -> UInt64

  init(_ clock: some Clock<Duration>) {
    let start = clock.now
    now = { start.duration(to: clock.now) }
    sleep = { try await clock.sleep(for: $0) }
    waitUntil = {
      let deadline = start.advanced(by: min($0, longestTime))
      try await clock.sleep(until: deadline, tolerance: .milliseconds(10))
    }
    let owned = clock as? any OwnedClock
    executor = owned?.executor
    let now = now
    date = { duration in
      let start = owned == nil ? Date() : Date(timeIntervalSince1970: now() / .seconds(1))
      return start + duration / .seconds(1)
    }
    number = { owned?.number() ?? .random(in: .min ... .max) }
  }
}

/// Counts attempts, and waits longer after each, up to a second.
struct Attempts {
  private var count = 0

  mutating func pause(_ timing: Timing) async {
    let backoff = Backoff(from: .milliseconds(20), limit: .seconds(1))
    try? await timing.sleep(backoff.delay(count))
    count += 1
  }
}
