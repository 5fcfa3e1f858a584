internal import Foundation
internal import Glue

/// Runs a test in many orders of its concurrent tasks, one for each seed.
///
///     @Test func concurrentSearches() async {
///       await explore(seeds: 100) { clock in
///         let store = Store(state: Search(), reducer: search, clock: clock)
///         store.add(effectHandler: Searching(clock: clock))
///         async let first: Void = store.perform(SearchIntent.typed("a"))
///         async let second: Void = store.perform(SearchIntent.typed("b"))
///         await clock.run()
///         _ = await (first, second)
///         #expect(store.state.isConsistent)
///       }
///     }
///
/// The body, its child tasks and the tasks of the stores with the clock run on the clock's
/// executor, one job at a time. The seed decides which of the jobs that could run next does. A task
/// is not interrupted between two suspensions.
///
/// It stops at the first seed with which the body fails, by an expectation, a ``TestStore`` or an
/// error, and names the seed. To run the body with that seed alone, in the same order, use
/// `GLUE_SEED=7 swift test --filter concurrentSearches`, the trait `.seed(7)`, or `replaying: 7`
/// here. It also prints the tasks in the order in which they ran, by their effects and handlers, or
/// by the line of an `async let`. In Swift Testing that is a short order that still fails,
/// which it searches for by running the body up to 200 times more.
///
/// A hundred seeds find a failure of one in 22 orders with a probability of 99 %, and one of one in
/// 100 orders with 63 %. In general *n* seeds find a failure of a fraction *p* of the orders with a
/// probability of 1 − (1 − *p*)ⁿ. So to find one order in 5,000 with 99 %, use 23,000 seeds.
///
/// A body that never ends fails the test too, for example because of a lost wake-up or a deadlock.
/// Then all tasks on the clock's executor wait, and nothing has woken one for some real time. The
/// message says what they wait for. If the calling task is canceled, so is the body's.
///
/// - Parameters:
///   - seeds: how many seeds to try.
///   - seed: the only one to try.
///   - limit: how much real time may pass without any work of the clock's executor.
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - body: the test, which creates everything that it uses. It is called once a seed.
public func explore(
  seeds: Int = 100, replaying seed: UInt64? = nil, within limit: Duration = .seconds(10),
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, body: @escaping @Sendable (TestClock) async throws -> Void
) async {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  let seeds = seedsToTry(by: "explore", seeds, replaying: seed, at: place)
  await explore(over: seeds, within: limit, at: place, body)
}

/// The seeds that a call tries: the given one, or the trait's, or `GLUE_SEED`'s, or this many from 0.
///
/// - Returns: none after a failure, which is reported.
package func seedsToTry(
  by call: String, _ count: Int, replaying seed: UInt64?, at place: Place
) -> [UInt64] {
  let environment =
    (seed ?? SeedTrait.current).map(String.init)
    ?? ProcessInfo.processInfo.environment["GLUE_SEED"]
  guard let seeds = seedsToTry(count, environment) else {
    let message = "\(call) can't run with GLUE_SEED=\(environment ?? ""), which is not a number."
    Failure(message: message, place: place).report(to: .current)
    return []
  }
  if seeds.isEmpty { failForNothing(call, "seeds", at: place) }
  return seeds
}

func seedsToTry(_ count: Int, _ environment: String?) -> [UInt64]? {
  guard let environment else { return Array(0..<UInt64(max(count, 0))) }
  return UInt64(environment).map { [$0] }
}

/// Runs a test with one seed after the other, until it fails.
func explore(
  over seeds: [UInt64], within limit: Duration? = nil, at place: Place,
  _ body: @escaping @Sendable (TestClock) async throws -> Void
) async {
  let framework = Framework.current
  for seed in seeds {
    let executor = TestExecutor(
      order: .random(Xorshift(seed: seed)), isRecording: !framework.canFailSilently)
    executor.patience = limit ?? executor.limits.strictPatience
    let clock = TestClock(executor, at: place)
    var hang: Hang?
    let fails = await framework.fails(at: place) { hang = try await run(body, on: clock) }
    if !fails, hang == nil { continue }
    var search = OrderSearch(framework: framework, body: body, executor, unrest: hang?.unrest)
    let order = await search.shortestOrder()
    let replay = "GLUE_SEED=\(seed) runs it again."
    let message =
      hang.map { "\($0.message)\nThat was with seed \(seed); \(replay)" }
      ?? "explore failed with seed \(seed); \(replay)"
    return Failure(message: message + order, place: place).report(to: framework)
  }
}

/// Why the body of an exploration hasn't ended.
struct Hang {
  let unrest: Unrest
  let message: String
}

/// Runs the body of an exploration as a task of a clock's executor.
///
/// If the calling task is canceled, so is the body.
///
/// - Returns: why the body doesn't end, if so; it is canceled then.
func run(
  _ body: @escaping @Sendable (TestClock) async throws -> Void, on clock: TestClock
) async throws -> Hang? {
  let executor = clock.ownExecutor
  let wait = Wait(.body)
  _ = executor.begin(wait)
  let task = Task(executorPreference: executor) {
    defer { executor.complete(wait) }
    try await body(clock)
  }
  await withTaskCancellationHandler {
    await wait.completion.waitInAnyCase()
  } onCancel: {
    task.cancel()
  }
  if let unrest = executor.end(wait) {
    let message = clock.message(for: unrest, in: "explore")
    task.cancel()
    _ = await executor.rest()
    return Hang(unrest: unrest, message: message)
  }
  try await task.value
  return nil
}
