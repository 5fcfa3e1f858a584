/// The real time that a store's watch sees; tests set it for the stores that they make.
package struct RealTime: Sendable {
  /// The seconds between two looks; nil if only tests look.
  package var interval: Double?

  /// The time that has passed while the machine was awake.
  package var now: @Sendable () -> Duration

  package init(
    interval: Double? = 5, now: @escaping @Sendable () -> Duration = timeAwake
  ) {
    (self.interval, self.now) = (interval, now)
  }

  package static let current = TaskLocal(wrappedValue: RealTime())
}

private let start = SuspendingClock.now

@Sendable
package func timeAwake() -> Duration { start.duration(to: .now) }

/// How long a thread waits for another one that may never come, in seconds of real time: a shutdown
/// for a posted body that doesn't begin, an intent for a store that is being made.
package enum Patience {
  package static let ofThreads = TaskLocal(wrappedValue: 10.0)
}
