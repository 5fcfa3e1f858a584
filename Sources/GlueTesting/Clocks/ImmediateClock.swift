internal import Glue

/// A clock on which nothing takes time: a sleep returns at once, and the time is its deadline.
///
/// For tests that ask what happens, not when. A store with this clock runs the tasks of its effects
/// as with a ``TestClock``, one job at a time. So effects with a delay start at once, in the order
/// of emission. After `rest()`, everything has finished that doesn't wait for an event
/// outside.
///
///     let clock = ImmediateClock()
///     let store = Store(state: Search(), reducer: search, clock: clock)
///     store.add(effectHandler: Searching())
///     store.dispatch(SearchIntent.typed("glue"))
///     await clock.rest()
///     #expect(store.state.results.count == 3)
///
/// A task that sleeps again and again, such as a ticker, never rests, which fails the test: use a
/// ``TestClock`` for it.
/// Any thread may use the clock.
public final class ImmediateClock: Clock, TestedClock {
  /// A time on an ``ImmediateClock``.
  public typealias Instant = TestClock.Instant

  private let time = Locked(Instant(offset: .zero))
  let ownExecutor = TestExecutor()
  private let place: Place

  /// Creates a clock at time zero.
  ///
  /// - Parameters:
  ///   - fileID: the file of the failures of `perform`, `settled`, `delivered` and `shutdown`, with
  ///     `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public init(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    ownExecutor.report.withLock { report in
      report = { [weak self] unrest, call, unended in
        self?.fail(for: unrest, in: "`\(call)`", unended.map(inFlightLine))
      }
    }
  }

  /// The latest deadline that a task has slept until.
  public var now: Instant { time.withLock { $0 } }

  /// Zero: instants are compared exactly.
  public var minimumResolution: Duration { .zero }

  /// Sets the clock to a deadline, if that lies ahead, and returns.
  ///
  /// - Parameters:
  ///   - deadline: the clock's new time.
  ///   - tolerance: is ignored.
  /// - Throws: `CancellationError`, if the task is canceled.
  public func sleep(until deadline: Instant, tolerance: Duration?) async throws {
    try Task.checkCancellation()
    time.withLock { $0 = max($0, deadline) }
    await ownExecutor.noteSleep()
  }

  /// Returns when no task of the stores with this clock has work now, or when the calling task is
  /// canceled.
  ///
  /// Tasks that never rest fail the test after a million jobs and sleeps in which no effect begins.
  /// They are stopped.
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
    guard let unrest = await ownExecutor.rest() else { return }
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    fail(for: unrest, in: "`rest`", [], at: place)
  }

  private func fail(
    for unrest: Unrest, in call: String, _ unended: [String], at place: Place? = nil
  ) {
    var lines = unended
    if case .endless(_, let effects) = unrest { lines = Set(effects.map { text(of: $0) }).sorted() }
    let message = unrest.message(in: call, on: ownExecutor, waiting: lines)
    Failure(message: message, place: place ?? self.place).report(to: .current)
  }
}
