import Glue
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from Redux and ReSwift")
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

// MARK: - From ReSwift

extension MovingFromRedux {
  @MainActor final class Screen {
    private(set) var text = ""
    private var subscription: Subscription?

    func appear(with store: Store<Counter>) {
      subscription = store.subscribe(selector: \.value) { @MainActor [weak self] value in
        self?.text = "Counter: \(value)"
      }
    }

    func disappear() {
      subscription = nil
    }
  }

  @Test("a screen on the main actor")
  @MainActor func screen() {
    let store = Store(state: Counter(), reducer: counter)
    let screen = Screen()
    screen.appear(with: store)
    store.dispatch(CounterIntent.add(3))

    #expect(screen.text == "Counter: 3")
    screen.disappear()
    store.dispatch(CounterIntent.add(1))
    #expect(screen.text == "Counter: 3")
  }

  @Test("skipped values")
  func skipping() {
    let store = Store(state: Counter(), reducer: counter)
    var subscriptions: Set<Subscription> = []
    let shown = Mutex<[Int]>([])
    let show: @Sendable (Int) -> Void = { value in shown.withLock { $0.append(value) } }

    // skipRepeats { $0.value / 10 == $1.value / 10 }
    struct Tens: Equatable, Sendable {
      var value: Int
      static func == (old: Tens, new: Tens) -> Bool { old.value / 10 == new.value / 10 }
    }
    store.subscribe(selector: { Tens(value: $0.value) }) { show($0.value) }
      .store(in: &subscriptions)

    // only(when: { old, new in new.value > old.value }), and with `<=` skip(when:)
    var old: Int?
    store.subscribe(selector: \.value) { value in
      if old.map({ value > $0 }) ?? true { show(value) }
      old = value
    }
    .store(in: &subscriptions)

    // automaticallySkipsRepeats: false
    store.subscribe(selector: { ($0.value, ()) }) { value, _ in show(value) }
      .store(in: &subscriptions)

    #expect(shown.withLock { $0 } == [0, 0, 0])
    for number in [5, 0, 12, -1, 9] { store.dispatch(CounterIntent.add(number)) }
    #expect(
      shown.withLock { $0.dropFirst(3) } == [5, 5, 5, 17, 17, 17, 16, 25, 25, 25])
    #expect(subscriptions.count == 3)
  }

  func varying<State>(
    _ list: @escaping @Sendable () -> [Middleware<State>]
  ) -> Middleware<State> {
    { dispatch, getState in
      { next in
        { intent in
          let chain = list().reversed().reduce(next) { next, middleware in
            middleware(dispatch, getState)(next)
          }
          chain(intent)
        }
      }
    }
  }

  @Test("middleware that comes and goes while the store runs")
  func middleware() {
    func adding(_ number: Int) -> Middleware<Counter> {
      { _, _ in
        { next in
          { intent in
            guard case CounterIntent.add(let count) = intent else { return }
            next(CounterIntent.add(count * 10 + number))
          }
        }
      }
    }
    let list = Mutex<[Middleware<Counter>]>([])
    let store = Store(
      state: Counter(), reducer: counter, middleware: [varying { list.withLock { $0 } }])
    store.dispatch(CounterIntent.add(1))
    #expect(store.state.value == 1)
    list.withLock { $0 = [adding(2), adding(3)] }
    store.dispatch(CounterIntent.add(1))
    #expect(store.state.value == 1 + 123)
    list.withLock { $0 = [] }
    store.dispatch(CounterIntent.add(1))
    #expect(store.state.value == 1 + 123 + 1)
  }
}
