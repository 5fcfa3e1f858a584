import Glue
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("The landing page's example")
struct LandingPage {
  struct Counter: Sendable { var value = 0 }
  enum CounterIntent: Intent { case increment }

  @Test("counts")
  func counts() {
    let store = Store(state: Counter()) { (counter, intent: CounterIntent) in
      switch intent {
      case .increment:
        counter.value += 1
        return []
      }
    }
    let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }
    store.dispatch(CounterIntent.increment)

    #expect(store.state.value == 1)
    subscription.cancel()
  }
}
