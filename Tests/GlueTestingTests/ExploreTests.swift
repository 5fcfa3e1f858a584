import Glue
import GlueTesting
import Synchronization
import Testing

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

  private func steps(_ clock: TestClock) async -> [Int] {
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

  @Test("tries many orders, all of them for enough seeds")
  func orders() async {
    let orders = Mutex<Set<[Int]>>([])
    await explore(seeds: 1000) { clock in
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
      await explore(seeds: 10) { clock in
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
        CounterIntent.increment did not do what is expected.
        The state is another than expected (expected → actual):
          value: 2 → 1
        """,
        "explore failed with seed 3; GLUE_SEED=3 runs it again.",
      ])
  }

  @Test("reports errors")
  func errors() async {
    struct Broken: Error {}
    let messages = await failures { await explore(seeds: 2) { _ in throw Broken() } }
    #expect(
      messages == [
        "The body threw an error: Broken()",
        "explore failed with seed 0; GLUE_SEED=0 runs it again.",
      ])
  }

  @Test("notices expectations of Swift Testing")
  func expectations() async {
    let issues = Mutex<[String]>([])
    await withKnownIssue {
      await explore(seeds: 2) { _ in #expect(Bool(false), "on purpose") }
    } matching: { issue in
      issues.withLock { $0.append(issue.comments.map(\.rawValue).joined()) }
      return true
    }
    #expect(
      issues.withLock { $0 } == [
        "on purpose", "explore failed with seed 0; GLUE_SEED=0 runs it again.",
      ])
  }
}
