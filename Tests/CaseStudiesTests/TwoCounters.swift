import Glue
import GlueTesting
import Testing

@testable import CaseStudies

@Suite("Two counters")
struct TwoCountersTests {
  @Test("count on their own, while their parent counts the steps of both")
  func counting() async {
    let test = TestStore(state: TwoCounters(), reducer: twoCountersFeature)
    await test.send(CounterIntent.increment, in: Side.left) {
      $0.left.value = 1
      $0.steps = 1
    }
    await test.send(CounterIntent.decrement, in: Side.right) {
      $0.right.value = -1
      $0.steps = 2
    }
    await test.send(CounterIntent.reset, in: Side.right) { $0.right.value = 0 }
    await test.send(TwoCountersIntent.swap) {
      $0.left.value = 0
      $0.right.value = 1
    }
    await test.finish()
  }

  @Test("a view of one counter addresses it")
  func view() {
    let store = Store(state: TwoCounters(), reducer: twoCountersFeature)
    let right = store.view(of: \.right, id: Side.right, intent: CounterIntent.self)
    right.dispatch(.increment)
    #expect(right.value == 1)
    #expect(store.state == TwoCounters(right: Counter(value: 1), steps: 1))
  }
}
