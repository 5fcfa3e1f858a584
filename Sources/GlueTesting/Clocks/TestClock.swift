public import Glue

/// A clock that stands still until a test advances it, for the stores of that test.
///
///     let clock = TestClock()
///     let store = Store(state: Search(), reducer: search, clock: clock)
///     store.add(effectHandler: Searching())
///     store.dispatch(SearchIntent.typed("glue"))
///     await clock.advance(by: .milliseconds(300))
///     #expect(store.state.results.count == 3)
///
/// A store that is given this clock runs the tasks of its effects on the clock's own executor, one
/// job at a time. ``advance(by:)`` and ``rest()`` return when no job is left there. Then each of
/// the tasks, by construction and not by yielding a number of times, has ended or waits for the
/// clock or for something outside. No wall clock and no polling is involved.
///
/// Covered are the tasks of effects and of an `AsyncThunk`, their child tasks (`async let` and task
/// groups), the functions and default actors that these call, and what they wait for among
/// themselves: continuations, streams, values of tasks.
///
/// Not covered are tasks that effects make by `Task { }` or `Task.detached`, other executors
/// (`@MainActor`, actors with their own), default actors while somebody else uses them too, other
/// clocks, and whatever calls back from threads and queues. An effect that waits for one of these
/// counts as resting; wait for it by ``/Glue/Store/settled()``.
///
/// Any thread may use it. With a seed, it chooses among the jobs that could run next, so the same
/// test runs in another order for each seed (`explore`).
public final class TestClock: Clock, ExecutorOwning {
  /// A time on a ``TestClock``, counted from when it was made.
  public struct Instant: InstantProtocol {
    /// The time since the clock was made.
    public let offset: Duration

    /// The instant that lies so much later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// How much later another instant lies.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether an instant lies before another one.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    let number: Int
    let deadline: Instant
    let continuation: CheckedContinuation<Bool, Never>
  }

  private struct Time {
    var now = Instant(offset: .zero)
    var sleepers: [Sleeper] = []
    var lastNumber = 0

    /// Those who are about to sleep, and whether they have been cancelled.
    var coming: [Int: Bool] = [:]
  }

  private let time = Guarded(Time())
  let ownExecutor: TestExecutor

  package var executor: any TaskExecutor { ownExecutor }

  /// Makes a clock that stands at zero.
  ///
  /// - Parameter seed: decides which of the jobs that could run next does; without one, the oldest.
  public init(seed: UInt64? = nil) {
    ownExecutor = TestExecutor(order: seed.map { .seeded(Xorshift(seed: $0)) } ?? .oldestFirst)
  }

  /// The time that the test has set.
  public var now: Instant { time.withLock { $0.now } }

  /// Zero: instants are compared exactly.
  public var minimumResolution: Duration { .zero }

  /// How many tasks wait for this clock.
  public var sleepers: Int { time.withLock { $0.sleepers.count } }

  /// Waits until the clock is advanced to a deadline.
  ///
  /// - Parameters:
  ///   - deadline: when to go on; if it is not in the future, at once.
  ///   - tolerance: is not used.
  /// - Throws: `CancellationError`, if the task is cancelled meanwhile.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let number = time.withLock { time in
      time.lastNumber += 1
      time.coming[time.lastNumber] = false
      return time.lastNumber
    }
    let isOver = await withTaskCancellationHandler {
      await withCheckedContinuation {
        add(Sleeper(number: number, deadline: deadline, continuation: $0))
      }
    } onCancel: {
      cancel(number)
    }
    if !isOver { throw CancellationError() }
  }

  /// Sets the clock forward, and lets all that waits until then happen in the order of its time.
  ///
  /// At each deadline on the way it wakes those who wait for it and goes on when all tasks rest
  /// again, so that what they wait for next is taken into account.
  ///
  /// - Parameter duration: how much; not negative.
  public nonisolated(nonsending) func advance(by duration: Duration) async {
    precondition(duration >= .zero, "GlueTesting: a clock cannot be advanced by \(duration)")
    await rest()
    let end = now.advanced(by: duration)
    while wakeNext(until: end) { await rest() }
    time.withLock { $0.now = max($0.now, end) }
  }

  /// Advances the clock for as long as somebody waits for it.
  ///
  /// It does not return while something waits again and again, such as a ticker.
  public nonisolated(nonsending) func run() async {
    await rest()
    while wakeNext(until: nil) { await rest() }
  }

  /// Returns when no task of the stores with this clock has anything to do now.
  public nonisolated(nonsending) func rest() async {
    await ownExecutor.rest()
  }

  private func add(_ sleeper: Sleeper) {
    let result: Bool? = time.withLock { time in
      if time.coming.removeValue(forKey: sleeper.number) == true { return false }
      if sleeper.deadline <= time.now { return true }
      time.sleepers.append(sleeper)
      return nil
    }
    if let result { sleeper.continuation.resume(returning: result) }
  }

  private func cancel(_ number: Int) {
    let sleeper = time.withLock { time -> Sleeper? in
      if let index = time.sleepers.firstIndex(where: { $0.number == number }) {
        return time.sleepers.remove(at: index)
      }
      if time.coming[number] != nil { time.coming[number] = true }
      return nil
    }
    sleeper?.continuation.resume(returning: false)
  }

  /// Sets the clock to the next deadline and wakes those who wait for it, in order.
  private func wakeNext(until end: Instant?) -> Bool {
    let woken = time.withLock { time -> [Sleeper] in
      guard let next = time.sleepers.map(\.deadline).min(), end.map({ next <= $0 }) ?? true else {
        return []
      }
      time.now = max(time.now, next)
      defer { time.sleepers.removeAll { $0.deadline == next } }
      return time.sleepers.filter { $0.deadline == next }
    }
    for sleeper in woken { sleeper.continuation.resume(returning: true) }
    return !woken.isEmpty
  }
}
