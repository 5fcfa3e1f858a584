import Glue
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from ReSwift")
struct MovingFromReSwift {
  struct Counter: Sendable { var value = 0 }
  enum CounterIntent: Intent { case add(Int) }

  func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    switch intent {
    case .add(let count): state.value += count
    }
    return []
  }

  @MainActor final class Screen {
    private(set) var text = ""
    private var subscription: Subscription?

    func appear(with store: Store<Counter>) {
      subscription = store.subscribe(selector: \.value) { [weak self] value in
        MainActor.assumeIsolated { self?.text = "Counter: \(value)" }
      }
    }

    func disappear() {
      subscription = nil
    }
  }

  @Test("a screen on the main actor")
  @MainActor func example() async {
    let store = Store(state: Counter(), reducer: counter, delivery: .main)
    let screen = Screen()
    screen.appear(with: store)
    store.dispatch(CounterIntent.add(3))

    await store.settled()
    #expect(screen.text == "Counter: 3")
    screen.disappear()
    store.dispatch(CounterIntent.add(1))
    await store.settled()
    #expect(screen.text == "Counter: 3")
  }
}
