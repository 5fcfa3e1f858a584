import Glue
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from Redux")
struct MovingFromRedux {
  struct Counter: Sendable { var value = 0 }
  enum CounterIntent: Intent { case add(Int) }

  func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    switch intent {
    case .add(let count): state.value += count
    }
    return []
  }

  @Test("a dispatch in a subscriber is delivered after the current delivery")
  func example() {
    let lines = Mutex<[String]>([])
    let print: @Sendable (String) -> Void = { line in lines.withLock { $0.append(line) } }

    let store = Store(state: Counter(), reducer: counter)
    var subscriptions: Set<Subscription> = []
    store.subscribe(selector: \.value) { [weak store] value in
      print("first \(value)")
      if value == 1 { store?.dispatch(CounterIntent.add(9)) }
    }
    .store(in: &subscriptions)
    store.subscribe(selector: \.value) { print("second \($0)") }.store(in: &subscriptions)
    store.dispatch(CounterIntent.add(1))

    #expect(
      lines.withLock { $0 } == [
        "first 0", "second 0", "first 1", "second 1", "first 10", "second 10",
      ])
  }

  @Test("a subscription that a delivery cancels gets nothing more")
  func canceling() {
    let store = Store(state: Counter(), reducer: counter)
    let seen = Mutex<[Int]>([])
    let second = Mutex<Subscription?>(nil)
    let first = store.subscribe(selector: \.value) { value in
      if value == 1 { second.withLock { $0 }?.cancel() }
    }
    let last = store.subscribe(selector: \.value) { value in seen.withLock { $0.append(value) } }
    second.withLock { $0 = last }
    store.dispatch(CounterIntent.add(1))
    #expect(seen.withLock { $0 } == [0])
    withExtendedLifetime(first) {}
  }
}
