internal import Glue

/// A clock that stands still until a test advances it, for the stores of that test.
///
///     let clock = TestClock()
///     let store = Store(state: Search(), reducer: search, clock: clock)
///     store.add(effectHandler: Searching())
///     store.dispatch(SearchIntent.typed("glue"))
///     await clock.advance(by: .milliseconds(300))
///     #expect(store.state.results.count == 3)
///
/// A store with this clock runs the tasks of its effects on the clock's own executor, one job at a
/// time. `advance(by:)` and `rest()` return when no job is left there. By construction, without
/// yielding a number of times, each task has then ended, or waits for the clock or for an event
/// outside. No wall clock and no polling is involved.
///
/// The executor covers the tasks of effects and of an `AsyncThunk`, their child tasks (`async let`
/// and task groups), and the functions and default actors that these call. It also covers their
/// waits for each other: continuations, streams, values of tasks.
///
/// It doesn't cover tasks that effects make by `Task { }` or `Task.detached`, other executors
/// (`@MainActor`, actors with their own), other clocks, or callbacks from threads and queues. It
/// doesn't cover default actors that other code uses at the same time either. An effect that waits
/// for one of these counts as resting; wait for it by ``/Glue/Store/settled()``.
///
/// Any thread may use it. With a seed, it chooses among the jobs that could run next, so the same
/// test runs in another order for each seed (`explore`).
public final class TestClock: Clock, TestedClock {
  /// A time on a ``TestClock``, counted from its creation.
  public struct Instant: InstantProtocol {
    /// The time since the clock's creation.
    public let offset: Duration

    /// The instant that is later by a duration.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }

    /// The duration until another instant.
    public func duration(to other: Instant) -> Duration { other.offset - offset }

    /// Whether an instant lies before another one.
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  struct Time {
    var now = Instant(offset: .zero)
    var sleepers = Sleepers()
    var isAdvancing = false

    mutating func takeTurn() -> Bool {
      defer { isAdvancing = true }
      return !isAdvancing
    }
  }

  let time = Locked(Time())
  private let hasAdvanced = Event()
  let stores = Locked<[StoreOnClock]>([])
  let ownExecutor: TestExecutor

  /// Where failures of calls are reported that name no place of their own.
  let place: Place

  /// Creates a clock at time zero.
  ///
  /// - Parameters:
  ///   - seed: decides which of the jobs that could run next does; without one, the oldest.
  ///   - fileID: the file of the failures of `perform`, `settled`, `delivered` and `shutdown`, with
  ///     `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public convenience init(
    seed: UInt64? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let order: JobOrder? = seed.map { .random(Xorshift(seed: $0)) }
    self.init(TestExecutor(order: order ?? .oldestFirst), at: place)
  }

  /// Creates a clock with an executor.
  init(_ executor: TestExecutor, at place: Place) {
    (ownExecutor, self.place) = (executor, place)
    executor.report.withLock { report in
      report = { [weak self] unrest, call, unended in
        self?.fail(for: unrest, in: "`\(call)`", unended.map(inFlightLine))
      }
    }
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
  ///   - deadline: when to continue; at once, if it is not in the future.
  ///   - tolerance: is ignored.
  /// - Throws: `CancellationError`, if the task is canceled meanwhile.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    let (stream, wake) = AsyncStream<Void>.makeStream()
    let isOwned = withUnsafeCurrentTask { task in
      task?.unownedTaskExecutor == ownExecutor.asUnownedTaskExecutor()
    }
    let task = ownExecutor.currentTask
    let number = time.withLock { time in
      deadline <= time.now
        ? nil
        : time.sleepers.add(
          until: deadline, in: WatchedWork.current, isOwned: isOwned, of: task,
          wake: wake)
    }
    guard let number else { return await ownExecutor.noteSleep() }
    // At once, because a task on another executor may notice its cancellation much later.
    wake.onTermination = { [weak self] _ in self?.time.withLock { $0.sleepers.remove(number) } }
    for await _ in stream { return }
    throw CancellationError()
  }

  /// Sets the clock forward, and runs everything that is due until then, in the order of deadlines.
  ///
  /// At each deadline on the way it wakes the sleeping tasks, in the order in which they began to
  /// sleep, and continues when all tasks rest again. So it includes the deadlines that they wait for
  /// next. Concurrent calls run one after the other. If the calling task is canceled, it stops on
  /// the way.
  ///
  /// - Parameters:
  ///   - duration: how far; a negative one fails the test.
  ///   - fileID: the file that the failure is reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func advance(
    by duration: Duration, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    if duration < .zero {
      let message = "A clock can't be set back, as by \(duration): create a new one instead."
      return Failure(message: message, place: place).report(to: .current)
    }
    await inTurn {
      guard await rests(in: "`advance`", at: place) else { return }
      let end = now.advanced(by: duration)
      while !Task.isCancelled, wakeNext(until: end) {
        guard await rests(in: "`advance`", at: place) else { return }
      }
      if !Task.isCancelled { time.withLock { $0.now = max($0.now, end) } }
    }
    checkProblems(at: place)
  }

  /// Advances the clock until no task waits for it.
  ///
  /// A task that sleeps again and again, such as a ticker, would keep it advancing forever: that
  /// fails the test at the limit. If the calling task is canceled, it stops.
  ///
  /// - Parameters:
  ///   - limit: the maximum number of deadlines at which it wakes tasks.
  ///   - fileID: the file that the failure is reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func run(
    limit: Int = 100_000, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    await inTurn {
      guard await rests(in: "`run`", at: place) else { return }
      var deadlines = 0
      while deadlines < limit, !Task.isCancelled, wakeNext(until: nil) {
        deadlines += 1
        guard await rests(in: "`run`", at: place) else { return }
      }
      guard !Task.isCancelled, let message = unendingMessage(deadlines) else { return }
      Failure(message: message, place: place).report(to: .current)
    }
    checkProblems(at: place)
  }

  /// Returns when no task of the stores with this clock has work now, or when the calling task is
  /// canceled.
  ///
  /// Tasks that never rest fail the test after a million jobs in which no effect begins: those of a
  /// handler that polls, for example. They are stopped.
  ///
  /// - Parameters:
  ///   - fileID: the file that the failure is reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func rest(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    _ = await rests(in: "`rest`", at: place)
  }

  /// Waits until all tasks rest.
  ///
  /// - Returns: false if they don't, which fails the test.
  private nonisolated(nonsending) func rests(in call: String, at place: Place) async -> Bool {
    guard let unrest = await ownExecutor.rest() else { return true }
    fail(for: unrest, in: call, at: place)
    return false
  }

  /// Runs a body while no other call advances the clock, unless the task is canceled before.
  private nonisolated(nonsending) func inTurn(
    _ body: nonisolated(nonsending) () async -> Void
  ) async {
    while !time.withLock({ $0.takeTurn() }) {
      await hasAdvanced.wait(unless: { time.withLock { !$0.isAdvancing } })
      if Task.isCancelled { return }
    }
    await body()
    time.withLock { $0.isAdvancing = false }
    hasAdvanced.happen()
  }

  /// Sets the clock to the next deadline and wakes the tasks that wait for it, in order.
  private func wakeNext(until end: Instant?) -> Bool {
    let woken = time.withLock { time -> [AsyncStream<Void>.Continuation] in
      guard let next = time.sleepers.next(), end.map({ next <= $0 }) ?? true else { return [] }
      time.now = max(time.now, next)
      return time.sleepers.removeAll(at: next)
    }
    if woken.isEmpty { return false }
    ownExecutor.noteAdvance()
    // None of them runs before all are queued, so that ties have one order.
    ownExecutor.queueTogether { for wake in woken { wake.yield() } }
    return true
  }
}
