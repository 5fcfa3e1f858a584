import Glue
import GlueTesting
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of composition")
struct CompositionComments {
  private struct AppState: Sendable {
    var value = 0
    var text = "text"
    var user = "ada"
    var counter = 0
    var settings = false
  }
  private enum AppIntent: Intent { case increment, decrement, reset, saved(Bool), loaded(String) }

  private func reducer(state: inout AppState, intent: AppIntent) -> [any Effect] {
    switch intent {
    case .increment: state.value += 1
    case .decrement: state.value -= 1
    case .reset: state.value = 0
    case .saved(let isSaved): state.settings = isSaved
    case .loaded(let name): state.text = name
    }
    return []
  }

  private enum TodoIntent: Intent { case toggle }

  @Test("reducers")
  func reducers() {
    let counterReducer: Reducer<Int> = { counter, intent in
      if intent is AppIntent { counter += 1 }
      return []
    }
    let settingsReducer: Reducer<Bool> = { isOn, intent in
      if intent is AppIntent { isOn.toggle() }
      return []
    }

    let sessionReducer = reducer
    let hasSettings = true

    let appReducer: Reducer<AppState> = combineReducers {
      sessionReducer
      withKey(\.counter, use: counterReducer)
      if hasSettings { withKey(\.settings, use: settingsReducer) }
    }

    let store = Store(state: AppState(), reducer: appReducer)
    let todo = Todo(id: 1)

    store.dispatch(ElementIntent(id: todo.id, intent: TodoIntent.toggle))

    #expect(store.state.counter == 0)
    store.dispatch(AppIntent.increment)
    #expect(store.state.value == 1)
    #expect(store.state.counter == 1)
    #expect(store.state.settings)
  }

  @Test("a closure as a line")
  func closure() {
    let counter: Reducer<Int> = { counter, _ in
      counter += 1
      return []
    }
    let app: Reducer<AppState> = combineReducers {
      withKey(\.counter, use: counter)
      reduce { (state: inout AppState, intent: AppIntent) in
        if case .reset = intent { state = AppState() }
        return []
      }
    }

    let store = Store(state: AppState(), reducer: app)
    store.dispatch(AppIntent.increment)
    #expect(store.state.counter == 1)
    store.dispatch(AppIntent.reset)
    #expect(store.state.counter == 0)
  }

  private struct Counter: Sendable, Equatable { var value = 0 }
  private struct Counters: Sendable { var left = History(Counter()), right = History(Counter()) }
  private enum CounterIntent: Intent { case add(Int) }

  private func counterReducer(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    guard case .add(let number) = intent else { return [] }
    state.value += number
    return []
  }

  @Test("a feature used twice")
  func twice() {
    let counters: Reducer<Counters> = combineReducers {
      withKey(\.left, id: "left", use: undoable(counterReducer, limit: 100))
      withKey(\.right, id: "right", use: undoable(counterReducer, limit: 100))
    }
    let store = Store(state: Counters(), reducer: counters)
    do {
      let left = store.view(of: \.left.present, id: "left", intent: CounterIntent.self)
      left.dispatch(.add(1))
    }
    do {
      let left = store.view(of: \.left, id: "left")
      let counter = left.view(of: \.present, intent: CounterIntent.self)
      counter.dispatch(.add(1))
      left.dispatch(HistoryIntent.undo)
    }
    #expect(store.state.left.present.value == 1)
    #expect(store.state.right.undoCount == 0)

    store.dispatch(ElementIntent(id: "left", intent: CounterIntent.add(1)))
    store.dispatch(ElementIntent(id: "left", intent: HistoryIntent.undo))
    #expect(store.state.left.redoCount == 1)
  }

  struct Todo: Sendable, Identifiable {
    let id: Int
    var isDone = false
  }
  struct Progress: Sendable {
    var todos = [Todo(id: 1), Todo(id: 2)]
    var toggles = 0
  }

  func progress(state: inout Progress, intent element: ElementIntent<Todo.ID>) -> [any Effect] {
    if case .toggle = element.intent(as: TodoIntent.self) { state.toggles += 1 }
    return []
  }

  @Test("a feature that follows elements")
  func followers() {
    let store = Store(
      state: Progress(),
      reducer: combineReducers {
        forEach(\.todos) { (todo: inout Todo, _: TodoIntent) in
          todo.isDone.toggle()
          return []
        }
        progress
      })
    store.dispatch(ElementIntent(id: 2, intent: TodoIntent.toggle))
    store.dispatch(ElementIntent(id: 2, intent: CounterIntent.add(1)))
    #expect(store.state.toggles == 1)
    #expect(store.state.todos.map(\.isDone) == [false, true])
  }

  private struct Drawing: Sendable, Equatable { var lines = 0 }

  @Test("a history")
  func history() {
    let drawingReducer: Reducer<Drawing> = { drawing, _ in
      drawing.lines += 1
      return []
    }

    let store = Store(state: History(Drawing()), reducer: undoable(drawingReducer, limit: 100))
    store.dispatch(HistoryIntent.undo)

    #expect(store.state.undoCount == 0)
    store.dispatch(AppIntent.increment)
    #expect(store.state.present.lines == 1)
    store.dispatch(HistoryIntent.undo)
    #expect(store.state.present.lines == 0)
    #expect(store.state.redoCount == 1)
  }

  private struct Analytics: Sendable {
    func count(_ intent: any Intent) {}
  }

  @Test("middleware")
  func middleware() {
    let noNegatives: Middleware<AppState> = { dispatch, getState in
      { next in
        { intent in
          if case AppIntent.decrement = intent, getState().value == 0 { return }
          next(intent)
        }
      }
    }
    let store = Store(state: AppState(), reducer: reducer, middleware: [noNegatives])

    func tracking(by analytics: Analytics) -> Middleware<AppState> {
      { dispatch, getState in
        { next in
          { intent in
            analytics.count(intent)
            next(intent)
          }
        }
      }
    }

    store.dispatch(AppIntent.decrement)
    #expect(store.state.value == 0)
    let tracked = Store(
      state: AppState(), reducer: reducer, middleware: [tracking(by: Analytics())])
    tracked.dispatch(AppIntent.decrement)
    #expect(tracked.state.value == -1)
  }

  private struct Files: Sendable {
    func write(_ text: String) -> Bool { true }
  }
  private struct Service: Sendable {
    func name(of user: String) async -> String { user.uppercased() }
  }

  @Test("thunks")
  func thunks() async {
    let files = Files()
    let service = Service()

    let store = Store(state: AppState(), reducer: reducer, middleware: [thunkMiddleware()])
    store.dispatch(
      Thunk<AppState> { dispatch, getState in
        dispatch(AppIntent.increment)
        if getState().value > 10 { dispatch(AppIntent.reset) }
      })

    func save(to files: Files) -> Thunk<AppState> {
      Thunk { dispatch, getState in dispatch(AppIntent.saved(files.write(getState().text))) }
    }
    store.dispatch(save(to: files))

    func loadName(from service: Service) -> AsyncThunk<AppState> {
      AsyncThunk { dispatch, getState in
        let name = await service.name(of: getState().user)
        dispatch(AppIntent.loaded(name))
      }
    }
    store.dispatch(loadName(from: service))

    func resetLater(on clock: any Clock<Duration>) -> AsyncThunk<AppState> {
      AsyncThunk { dispatch, _ in
        try? await clock.sleep(for: .seconds(2))
        dispatch(AppIntent.reset)
      }
    }

    #expect(store.state.settings)
    store.dispatch(resetLater(on: ImmediateClock()))
    await store.settled()
    #expect(store.state.text == "ADA")
    #expect(store.state.value == 0)
  }
}
