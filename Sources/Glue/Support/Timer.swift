/// Measures time on a clock, from an instant at or before the creation of the store.
@usableFromInline
protocol Timer: AnyObject, Sendable {
  func elapsed() -> Duration

  /// Sleeps until that much time has passed, or the task is canceled.
  func sleep(until time: Duration) async

  /// The executor of effects' tasks; nil for the default one.
  var executor: (any TaskExecutor)? { get }

  /// Makes a function that runs bodies later, in order, if the clock is a simulated machine's; nil if
  /// queues do.
  var makeQueue: (@Sendable () -> Posting)? { get }

  /// ``MachineOwning/leavesDelivery()``, if the clock is a simulated machine's.
  var leavesDelivery: (@Sendable () -> Bool)? { get }
}

/// Runs a body later.
@usableFromInline
typealias Posting = @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

/// A timer on a clock; all stores with the default clock share one.
@usableFromInline
func makeTimer(on clock: any Clock<Duration>) -> any Timer {
  func make<C: Clock<Duration>>(on clock: C) -> any Timer { ClockTimer(clock) }
  return clock is ContinuousClock ? commonTimer : make(on: clock)
}

/// Ninety years: within them no clock's instants overflow.
package let longestTime = Duration.seconds(90 * 366 * 86_400)

private let commonTimer = ClockTimer(ContinuousClock())

private final class ClockTimer<C: Clock<Duration>>: Timer {
  let executor: (any TaskExecutor)?
  let makeQueue: (@Sendable () -> Posting)?
  let leavesDelivery: (@Sendable () -> Bool)?
  private let clock: C
  private let start: C.Instant

  init(_ clock: C) {
    self.clock = clock
    start = clock.now
    let machine = clock as? any MachineOwning
    makeQueue = machine.map { $0.makeQueue }
    leavesDelivery = machine.map { $0.leavesDelivery }
    executor = (clock as? any ExecutorOwning)?.executor
  }

  func elapsed() -> Duration { start.duration(to: clock.now) }

  func sleep(until time: Duration) async {
    let deadline = start.advanced(by: min(time, longestTime))
    try? await clock.sleep(until: deadline, tolerance: nil)
  }
}

/// A clock that runs the tasks of its stores on an executor of its own.
package protocol ExecutorOwning: Sendable {
  var executor: any TaskExecutor { get }
}

/// A clock of a simulated machine, which also runs what would be left to queues and threads.
package protocol MachineOwning: ExecutorOwning {
  /// Makes a function that runs bodies later, one after the other and in order.
  func makeQueue() -> @Sendable (_ body: @escaping @Sendable () -> Void) -> Void

  /// Decides whether a call leaves its immediate deliveries to another thread.
  func leavesDelivery() -> Bool

  /// A random number that the simulation's seed decides.
  func number() -> UInt64
}
