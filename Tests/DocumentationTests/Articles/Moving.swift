import Glue
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving")
struct Moving {
  private struct Counter { var value = 0 }
  private enum CounterIntent: Intent { case add(Int) }

  @Test("a subscriber's values are collected")
  func collecting() {
    let store = Store(state: Counter()) { (counter, intent: CounterIntent) in
      if case .add(let number) = intent { counter.value += number }
      return []
    }

    let seen = Mutex<[Int]>([])
    let subscription = store.subscribe(selector: \.value) { value in
      seen.withLock { $0.append(value) }
    }
    store.dispatch(CounterIntent.add(3))
    print(seen.withLock { $0 })

    #expect(seen.withLock { $0 } == [0, 3])
    subscription.cancel()
  }
}
