import Glue
import GlueLogging
import Observation
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

private func save(_ intent: any Intent) {}

@Suite("Comments of observing")
struct ObservingComments {
  struct Counter: Sendable { var value = 0 }
  struct Password: Sendable { var text = "" }
  enum CounterIntent: Intent { case add(Int) }

  private static func reducer(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    guard case .add(let count) = intent else { return [] }
    state.value += count
    return []
  }

  final class Recorder<State: Sendable>: Monitor {
    func observe(_ commit: Commit<State>) { save(commit.intent) }
  }

  @Test("monitors")
  func monitors() {
    typealias AppState = Counter
    let reducer = Self.reducer

    do {
      let store = Store(state: AppState(), reducer: reducer, monitors: [Recorder()])

      store.dispatch(CounterIntent.add(1))
    }
    do {
      let store = Store(
        state: AppState(), reducer: reducer,
        monitors: [LogMonitor<AppState>(redact: [.path("password")])])

      #expect(store.state.value == 0)
    }
    do {
      let log = LogMonitor<AppState>(redact: [.path("session.token"), .type(Password.self)])

      #expect(Store(state: AppState(), reducer: reducer, monitors: [log]).state.value == 0)
    }
  }

  @Test("an observed store")
  @MainActor func observed() {
    let store = Store(state: Counter(), reducer: Self.reducer)

    let counter = ObservedStore(store)
    withObservationTracking {
      print(counter.value)  // that is counter.state.value
    } onChange: {
      print("the value changes")
    }
    counter.dispatch(CounterIntent.add(1))

    #expect(counter.value == 1)
  }

  struct CounterProps {
    let title: String
    let increment: () -> Void

    init(_ counter: StoreView<Counter, CounterIntent>) {
      title = "Count: \(counter.value)"
      increment = { counter.dispatch(.add(1)) }
    }
  }

  struct Item: Sendable { var title = "" }
  enum TitleIntent { case change(String) }
  enum TodoIntent: Intent { case title(TitleIntent) }
  struct House: Sendable {
    var counter = Counter()
    var todos: [Int: Item] = [:]
  }

  @Test("views")
  func views() {
    let store = Store(state: House(), reducer: withKey(\.counter, use: Self.reducer))
    let id = 1

    do {
      let counter = store.view(of: \.counter, intent: CounterIntent.self)
      counter.dispatch(.add(1))
      print(counter.value)  // that is counter.state.value

      #expect(CounterProps(counter).title == "Count: 1")
    }
    do {
      let todo = store.view(of: { $0.todos[id] }, id: id, intent: TodoIntent.self)

      #expect(todo.state?.title == nil)
    }
    do {
      let todo = store.view(of: { $0.todos[id] ?? Item() }, intent: TodoIntent.self)

      let title = todo.view(of: \.title) { (intent: TitleIntent) in .title(intent) }

      #expect(title.state == "")
    }
  }

  private struct Screen {
    func show(_ count: Int) {}
  }

  @Test("values")
  func values() async {
    struct Counts: Sendable { var count = 0 }
    let screen = Screen()
    let reading = Task {
      let store = Store(state: Counts(), reducer: { _, _ in [] })
      withUnsafeCurrentTask { $0?.cancel() }

      for await count in store.values(of: \.count) {
        screen.show(count)
      }
    }
    await reading.value
  }
}
