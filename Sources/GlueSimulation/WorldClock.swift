public import Glue

extension World {
  /// The virtual time, for the stores and tasks of one start of a machine, or of the test.
  ///
  /// Time passes when nothing can run, to the next instant that something waits for.
  public final class Clock: _Concurrency.Clock, OwnedClock {
    /// A moment in the virtual time.
    public struct Instant: InstantProtocol {
      /// The time since the beginning of the simulation.
      public let offset: Duration

      /// The moment that much later.
      public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
      /// The time from this moment to another one.
      public func duration(to other: Instant) -> Duration { other.offset - offset }
      /// Whether a moment is before another one.
      public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
    }

    let process: SimulatedProcess

    init(_ process: SimulatedProcess) { self.process = process }

    /// The current moment.
    public var now: Instant { Instant(offset: process.simulator.now) }
    /// Zero: a sleep ends at its deadline.
    public var minimumResolution: Duration { .zero }
    package var executor: any TaskExecutor { process }

    package var makeQueue: (@Sendable (_ isMain: Bool) -> Posting)? {
      { [process] isMain in
        let queue = SimulatedQueue(of: process, isMain: isMain)
        return { queue.run($0) }
      }
    }

    package func isOnMainActor() -> Bool {
      Simulator.onThisThread?.mainActor.isRunning ?? isOnMainQueue()
    }

    package func leavesDelivery() -> Bool { process.leavesDelivery() }

    package func number() -> UInt64 { process.world?.number() ?? 0 }

    private struct Sleeper: Sendable {
      var continuation: UnsafeContinuation<Bool, Never>?
      var alarm: Int?
      var isCanceled = false
    }

    /// Sleeps until a moment of the virtual time, or until the task is canceled.
    public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
      try Task.checkCancellation()
      if deadline <= now { return }
      let sleeper = Locked(Sleeper())
      let (process, simulator) = (process, process.simulator)
      let isCanceled = await withTaskCancellationHandler {
        await withUnsafeContinuation { continuation in
          let alarm = simulator.alarm(
            at: deadline.offset, of: process,
            .body { sleeper.withLock { $0.continuation.take() }?.resume(returning: false) })
          let isLate = sleeper.withLock { sleeper in
            if sleeper.isCanceled { return true }
            (sleeper.continuation, sleeper.alarm) = (continuation, alarm)
            return false
          }
          if isLate {
            simulator.removeAlarm(alarm)
            continuation.resume(returning: true)
          }
        }
      } onCancel: {
        let (continuation, alarm) = sleeper.withLock { sleeper in
          sleeper.isCanceled = true
          return (sleeper.continuation.take(), sleeper.alarm)
        }
        if let alarm { simulator.removeAlarm(alarm) }
        continuation?.resume(returning: true)
      }
      if isCanceled { throw CancellationError() }
    }
  }
}
