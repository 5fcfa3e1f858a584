import Glue
import Synchronization
import Testing

@testable import GlueTesting

@Suite("Exploring interleavings")
struct ExploreTests {
  private struct Slot: Effect {
    let number: Int
  }
  private enum SlotIntent: Intent { case start, done(Int) }

  /// Three effects of two steps each; the state is the order of the steps.
  private static func reducer(state: inout [Int], intent: SlotIntent) -> [Slot] {
    switch intent {
    case .start: return (0..<3).map(Slot.init)
    case .done(let number):
      state.append(number)
      return []
    }
  }

  func steps(_ clock: TestClock) async -> [Int] {
    let store = Store(state: [], reducer: Self.reducer, clock: clock)
    store.on(Slot.self) { slot, dispatch async in
      for _ in 0..<2 {
        dispatch(SlotIntent.done(slot.number))
        await Task.yield()
      }
    }
    store.dispatch(SlotIntent.start)
    await clock.rest()
    return store.state
  }

  /// Explores this number of seeds, independent of the environment.
  func exploreAll(
    _ count: UInt64, line: UInt = #line,
    _ body: @escaping @Sendable (TestClock) async throws -> Void
  ) async {
    let place = Place(fileID: #fileID, filePath: #filePath, line: line, column: 1)
    await explore(over: Array(0..<count), at: place, body)
  }

  @Test("tries many orders, all of them for enough seeds")
  func orders() async {
    let orders = Mutex<Set<[Int]>>([])
    await exploreAll(1000) { clock in
      let steps = await self.steps(clock)
      orders.withLock { _ = $0.insert(steps) }
    }
    #expect(orders.withLock { $0.count } == 90, "6! / (2! 2! 2!)")
  }

  @Test("runs the same order again for the same seed")
  func replay() async {
    for seed in 0..<20 as Range<UInt64> {
      let orders = Mutex<[[Int]]>([])
      for _ in 0..<2 {
        await explore(replaying: seed) { clock in
          let steps = await self.steps(clock)
          orders.withLock { $0.append(steps) }
        }
      }
      let both = orders.withLock { $0 }
      #expect(both.count == 2 && both[0] == both[1])
    }
  }

  @Test("stops at the first seed that fails, and says which it was")
  func failure() async {
    let count = Mutex(0)
    let messages = await failures {
      await exploreAll(10) { clock in
        let number = count.withLock { count in
          count += 1
          return count
        }
        let test = TestStore(state: Counter(), reducer: counter, clock: clock)
        await test.send(CounterIntent.increment) { $0.value = number < 4 ? 1 : 2 }
        await test.finish()
      }
    }
    #expect(
      messages == [
        """
        CounterIntent.increment did not behave as expected.
        The state differs from the expected one (expected → actual):
          value: 2 → 1
        """,
        """
        explore failed with seed 3; GLUE_SEED=3 runs it again.
        No race is needed: it fails where the oldest task always runs first:
          1. the test
          2. the test
          3. a call of the test store
          4. the test
          5. the test
          6. a call of the test store (2)
          7. the test
          8. the test
        """,
      ])
  }

  @Test("reports errors")
  func errors() async {
    struct Broken: Error {}
    let messages = await failures { await exploreAll(2) { _ in throw Broken() } }
    #expect(
      messages == [
        "The body threw an error: Broken()",
        """
        explore failed with seed 0; GLUE_SEED=0 runs it again.
        No race is needed: it fails where the oldest task always runs first:
          1. the test
        """,
      ])
  }

  @Test("notices expectations of Swift Testing")
  func expectations() async {
    let issues = await recordedIssues {
      await exploreAll(2) { _ in #expect(Bool(false), "on purpose") }
    }
    #if compiler(>=6.3)
      #expect(issues.allSatisfy { $0.isFailure }, "none is a known issue")
    #endif
    #expect(
      issues.map { $0.comments.map(\.rawValue).joined() } == [
        "on purpose",
        """
        explore failed with seed 0; GLUE_SEED=0 runs it again.
        No race is needed: it fails where the oldest task always runs first:
          1. the test
        """,
      ])
  }

  @Test("tries the given seeds, or the one of the environment")
  func seeds() {
    #expect(seedsToTry(3, nil) == [0, 1, 2])
    #expect(seedsToTry(-1, nil) == [])
    #expect(seedsToTry(3, "\(UInt64.max)") == [.max])
    #expect(seedsToTry(3, "seven") == nil)
  }

  private struct Answer: Intent { let text: String }

  /// A search that nothing cancels, so that an older one may overwrite a newer one's results.
  func overwritten(_ clock: TestClock) async {
    let reducer: Reducer<[String]> = { state, intent in
      switch intent {
      case SearchIntent.typed(let text): return [SearchEffect.query(text)]
      case let answer as Answer: state = [answer.text]
      default: break
      }
      return []
    }
    let store = Store(state: [], reducer: reducer, clock: clock)
    store.on(SearchEffect.self) { effect, dispatch async in
      await Task.yield()
      if case .query(let text) = effect { dispatch(Answer(text: text)) }
    }
    for text in ["old", "new"] { store.dispatch(SearchIntent.typed(text)) }
    await clock.rest()
    if store.state != ["new"] {
      let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: 1)
      Failure(message: "overwritten", place: place).report(to: .current)
    }
  }

  @Test("finds the order that breaks a feature, which the usual one does not, and replays it")
  func race() async throws {
    #expect(await failures { await overwritten(TestClock()) } == [])
    let messages = await failures { await exploreAll(20) { await self.overwritten($0) } }
    #expect(messages.count == 2)
    let seed = try #require(messages.last?.firstMatch(of: /GLUE_SEED=(\d+)/)?.output.1)
    let again = await failures {
      await explore(replaying: UInt64(seed)) { await self.overwritten($0) }
    }
    #expect(again == messages)
  }

  @Test("runs no seed but that of a trait", .seed(7))
  func trait() async {
    let count = Mutex(0)
    let expected = Mutex<[Int]>([])
    // Explored too: only there is what the test does first a job, which no other one overtakes.
    let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: 1)
    await explore(over: [7], at: place) { clock in
      let steps = await self.steps(clock)
      expected.withLock { $0 = steps }
    }
    await explore { clock in
      let steps = await self.steps(clock)
      #expect(steps == expected.withLock { $0 })
      count.withLock { $0 += 1 }
    }
    #expect(count.withLock { $0 } == 1)
  }

  @Suite("with a seed for a whole suite", .seed(7))
  struct Seeded {
    @Test("runs no other one")
    func trait() async {
      let count = Mutex(0)
      await explore { _ in count.withLock { $0 += 1 } }
      #expect(count.withLock { $0 } == 1)
    }
  }
}
