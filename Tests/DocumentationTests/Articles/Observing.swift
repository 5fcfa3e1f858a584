import Dispatch
import Glue
import Observation
import Testing

#if canImport(SwiftUI)
  import SwiftUI
#endif

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Observing a store")
struct Observing {
  struct Counter: Sendable, Equatable {
    var value = 0
    var name = "clicks"
  }
  enum CounterIntent: Intent { case add(Int), rename(String) }

  func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    switch intent {
    case .add(let count): state.value += count
    case .rename(let name): state.name = name
    }
    return []
  }

  @Test("subscribing")
  func subscribing() {
    let store = Store(state: Counter(), reducer: counter)
    let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }
    store.dispatch(CounterIntent.add(5))
    subscription.cancel()

    var subscriptions: Set<Subscription> = []
    store.subscribe(selector: \.name) { print($0) }.store(in: &subscriptions)
    #expect(subscriptions.count == 1)

    #expect(store.state.value == 5)
  }

  private struct Loop: Sendable {
    func run(_ body: @escaping @Sendable () -> Void) { body() }
  }

  @Test("where the store calls you")
  func deliveries() {
    let loop = Loop()

    let onAQueue = Store(
      state: Counter(), reducer: counter, delivery: .queue(DispatchQueue(label: "counter")))
    let onTheMainQueue = Store(state: Counter(), reducer: counter, delivery: .main)
    let inALoop = Store(state: Counter(), reducer: counter, delivery: .custom { loop.run($0) })

    for store in [onAQueue, onTheMainQueue, inALoop] {
      store.dispatch(CounterIntent.add(1))
      #expect(store.state.value == 1)
    }
  }

  @Test("as an asynchronous sequence")
  func values() async {
    let store = Store(state: Counter(), reducer: counter)

    store.dispatch(CounterIntent.add(10))

    for await value in store.values(of: \.value) {
      print("Counter: \(value)")
      if value >= 10 { break }
    }

    #expect(store.state.value == 10)
  }

  struct CounterService {
    let store: Store<Counter>

    /// Answers when everything that the request caused has finished.
    func add(_ count: Int) async -> Int {
      await store.perform(CounterIntent.add(count))
      return store.state.value
    }

    /// Answers when the counter has reached a value: a long poll.
    func reached(_ goal: Int) async -> Bool {
      for await value in store.values(of: \.value) where value >= goal { return true }
      return false
    }
  }

  @Test("in a server")
  func server() async {
    let service = CounterService(store: Store(state: Counter(), reducer: counter))
    async let isReached = service.reached(2)
    #expect(await service.add(1) == 1)
    #expect(await service.add(1) == 2)
    #expect(await isReached)
  }

  struct CounterProps {
    let title: String
    let increment: () -> Void

    init(_ counter: StoreView<Counter, CounterIntent>) {
      title = "\(counter.name): \(counter.value)"
      increment = { counter.dispatch(.add(1)) }
    }
  }

  @Test("parts for components")
  func parts() {
    let store = Store(state: Counter(), reducer: counter)

    let props = CounterProps(store.view(of: \.self, intent: CounterIntent.self))
    props.increment()

    #expect(props.title == "clicks: 0")
    #expect(store.state.value == 1)
  }

  @Test("by Observation")
  @MainActor func observation() {
    let store = Store(state: Counter(), reducer: counter)

    let observed = ObservedStore(store)
    withObservationTracking {
      print(observed.value)
    } onChange: {
      print("the value has changed")
    }
    observed.dispatch(CounterIntent.rename("taps"))
    observed.dispatch(CounterIntent.add(1))

    #expect(observed.name == "taps")
    #expect(observed.value == 1)
  }

  #if canImport(SwiftUI)
    struct CounterView: View {
      let counter: ObservedStore<Counter>

      var body: some View {
        Text("\(counter.name): \(counter.value)")
        Button("Add one") { counter.dispatch(CounterIntent.add(1)) }
      }
    }
  #endif
}
