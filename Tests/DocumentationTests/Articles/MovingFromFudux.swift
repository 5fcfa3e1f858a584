import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from fudux")
struct MovingFromFudux {
  struct Counter: Equatable { var count = 0 }
  enum CounterIntent: Intent { case increase, decrease, reset }
  enum CounterEffect: Effect, Equatable { case timeIsUp }

  func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    switch intent {
    case .increase: state.count += 1
    case .decrease: state.count -= 1
    case .reset: state.count = 0
    }
    if state.count != 3 { return [] }
    return [CounterEffect.timeIsUp.scheduled(.delay(.seconds(2)), id: "reset")]
  }

  @Test("a counter that goes back to zero")
  func example() async {
    let clock = TestClock()

    let store = Store(state: Counter(), reducer: counter, clock: clock)
    store.on(CounterEffect.self) { _, dispatch in dispatch(CounterIntent.reset) }

    let subscription = store.subscribe(selector: \.count) { print($0) }
    for _ in 1...3 { store.dispatch(CounterIntent.increase) }
    subscription.cancel()

    await clock.advance(by: .seconds(1))
    #expect(store.state.count == 3)
    await clock.advance(by: .seconds(1))
    #expect(store.state.count == 0)
  }
}
