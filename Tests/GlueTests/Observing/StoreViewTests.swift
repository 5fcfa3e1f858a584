import Glue
import ProcessSupport
import Testing

@Suite("StoreView")
struct StoreViewTests {
  @Test("a view reads its part and dispatches its intents")
  func partAndIntents() {
    let store = Store(state: House(), reducer: house)
    let counter = store.view(of: \.counter, intent: CounterIntent.self)
    counter.dispatch(.add(1))
    #expect(counter.state.value == 1)
    #expect(counter.value == 1)
    store.dispatch(CounterIntent.add(1))
    #expect(counter.value == 2)
    #expect(store.state.counter.value == 2)
  }

  @Test("a component's props are computed from its view")
  func props() {
    struct CounterProps {
      let title: String
      let increment: () -> Void

      init(_ counter: StoreView<Counter, CounterIntent>) {
        title = "Count: \(counter.value)"
        increment = { counter.dispatch(.add(1)) }
      }
    }
    let store = Store(state: House(), reducer: house)
    let counter = store.view(of: \.counter, intent: CounterIntent.self)
    let props = CounterProps(counter)
    props.increment()
    props.increment()
    #expect(props.title == "Count: 0")
    #expect(CounterProps(counter).title == "Count: 2")
  }

  @Test("a view addresses an element's intents")
  func mappedIntents() {
    let store = Store(state: House(), reducer: house)
    let id = "b"
    let todo = store.view(of: { $0.todos[id] }, id: id, intent: TodoIntent.self)
    todo.dispatch(.title(.set("new")))
    #expect(todo.state?.title == "new")
    #expect(store.state.todos["a"]?.title == "first")
  }

  @Test("a view of an element that is gone reads nil and changes nothing")
  func elementGone() {
    let store = Store(state: House(), reducer: house)
    let todo = store.view(of: { $0.todos["z"] }, id: "z", intent: TodoIntent.self)
    todo.dispatch(.toggle)
    #expect(todo.state == nil)
    #expect(store.state.todos == House().todos)
  }

  @Test("a view is narrowed to a part of its part, with the same intents or its own")
  func narrowing() {
    let store = Store(state: House(), reducer: house)
    let todo = store.view(
      of: { $0.todos["a", default: Todo(title: "")] }, id: "a", intent: TodoIntent.self)
    let isDone = todo.view(of: \.isDone)
    isDone.dispatch(.toggle)
    #expect(isDone.state)

    let title = todo.view(of: \.title) { (intent: TitleIntent) in .title(intent) }
    let length = title.view(of: \.count)
    length.dispatch(.set("longer"))
    #expect(title.state == "longer")
    #expect(length.state == 6)
  }

  private struct Desk: Sendable {
    var left = History(House())
    var right = History(House())
  }

  private func desk() -> Store<Desk> {
    Store(
      state: Desk(),
      reducer: combineReducers {
        withKey(\.left, id: "left", use: undoable(house, limit: 10))
        withKey(\.right, id: "right", use: undoable(house, limit: 10))
      })
  }

  @Test("a view of a part with an id addresses it")
  func addressed() {
    let store = desk()
    let left = store.view(of: \.left.present.counter, id: "left", intent: CounterIntent.self)
    left.dispatch(.add(1))
    #expect(left.value == 1)
    #expect(store.state.right.present.counter.value == 0)
  }

  @Test("a view of any intents to a part with an id is narrowed to its parts, at any depth")
  func narrowingAddressed() {
    let store = desk()
    let right = store.view(of: \.right, id: "right")
    let counter = right.view(of: \.present.counter, intent: CounterIntent.self)
    let todo = right.view(of: { $0.present.todos["a"] }, id: "a", intent: TodoIntent.self)
    let other = right.view(of: { $0.present.todos["b"] }) { (intent: any Intent) in
      ElementIntent(id: "b", intent: intent)
    }
    counter.dispatch(.add(1))
    todo.dispatch(.toggle)
    other.view(of: { $0?.isDone }, intent: TodoIntent.self).dispatch(.title(.set("new")))
    #expect(counter.value == 1)
    #expect(todo.state?.isDone == true)
    #expect(other.state == Todo(title: "new"))
    #expect(store.state.left.undoCount == 0)

    right.dispatch(HistoryIntent.jump(by: -3))
    #expect(right.state.present.todos == House().todos)
    #expect(counter.value == 0)
  }

  @Test("a view of the whole state is one as well")
  func whole() {
    let store = Store()
    let view = store.view(of: \.self, intent: CounterIntent.self)
    view.dispatch(.add(3))
    #expect(view.value == 3)
  }

  @Test("any thread uses a view", .tags(.threads))
  func threads() async {
    let store = Store(state: House(), reducer: house)
    let counter = store.view(of: \.counter, intent: CounterIntent.self)
    await onThread {
      onThreads(2) { _ in
        for _ in 0..<1000 {
          let before = counter.value
          counter.dispatch(.add(1))
          #expect(counter.value > before)
        }
      }
    }
    #expect(counter.value == 2000)
  }

  @Test("a view, and props that dispatch, keep the store alive, as long as they are kept")
  func lifetime() {
    let weakStore: Weak<Store<House>>
    do {
      var store: Store? = Store(state: House(), reducer: house)
      weakStore = Weak(object: store)
      var view = store?.view(of: \.counter, intent: CounterIntent.self)
      store = nil
      #expect(weakStore.object != nil)

      var inner = view?.view(of: \.value)
      view = nil
      #expect(weakStore.object != nil)

      let dispatch = inner?.dispatch
      inner = nil
      dispatch?(.add(1))
      #expect(weakStore.object?.state.counter.value == 1)
    }
    #expect(weakStore.object == nil)
  }
}
