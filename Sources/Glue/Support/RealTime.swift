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
