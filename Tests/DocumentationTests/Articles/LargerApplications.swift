import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Composing a larger application")
struct LargerApplications {
  struct Settings: Sendable { var isQuiet = false }
  enum SettingsIntent: Intent { case setQuiet(Bool) }

  func settings(state: inout Settings, intent: SettingsIntent) -> [any Effect] {
    switch intent {
    case .setQuiet(let isQuiet): state.isQuiet = isQuiet
    }
    return []
  }

  struct Account: Sendable, Equatable { var name: String }
  enum AccountIntent: Intent { case rename(String) }

  func account(state: inout Account, intent: AccountIntent) -> [any Effect] {
    switch intent {
    case .rename(let name): state.name = name
    }
    return []
  }

  struct Todo: Sendable, Equatable, Identifiable {
    let id: Int
    var title: String
    var isDone = false
    var isShared = false
  }
  enum TodoIntent: Intent { case toggle, retitle(String), share, shared, remove }
  struct Share: Effect { var title: String }

  func todo(state: inout Todo, intent: TodoIntent) -> [any Effect] {
    switch intent {
    case .toggle: state.isDone.toggle()
    case .retitle(let title): state.title = title
    case .shared: state.isShared = true
    case .share: return [Share(title: state.title).scheduled(.leading, id: "share")]
    case .remove: break  // the list's
    }
    return []
  }

  struct App: Sendable {
    var settings = Settings()
    var account: Account?
    var todos: [Todo] = []
  }

  enum AppIntent: Intent { case signIn(name: String), signOut, add(Todo) }

  func session(state: inout App, intent: AppIntent) -> [any Effect] {
    switch intent {
    case .signIn(let name): state.account = Account(name: name)
    case .signOut: state = App(settings: state.settings)
    case .add(let todo): state.todos.append(todo)
    }
    return []
  }

  @Test("from features to an application")
  func features() {
    let app: Reducer<App> = combineReducers {
      session
      withKey(\.settings, use: settings)
      withKey(\.account, use: account)
      forEach(\.todos, use: todo)
    }

    let store = Store(state: App(), reducer: app)
    store.dispatch(AppIntent.add(Todo(id: 1, title: "Read this")))
    store.dispatch(ElementIntent(id: 1, intent: TodoIntent.toggle))

    store.on(Share.self) { share, dispatch in
      print("Shared: \(share.title)")
      dispatch(TodoIntent.shared)
    }
    store.dispatch(ElementIntent(id: 1, intent: TodoIntent.share))

    #expect(
      store.state.todos == [Todo(id: 1, title: "Read this", isDone: true, isShared: true)])
  }

  func removal(state: inout App, intent element: ElementIntent<Todo.ID>) -> [any Effect] {
    guard case .remove = element.intent(as: TodoIntent.self) else { return [] }
    state.todos.removeAll { $0.id == element.id }
    return [CancelEffects(part: element.id)]
  }

  enum SessionIntent: Intent {
    static let leavesParts = true
    case expired
  }

  @Test("a feature knows nothing of its place")
  func place() async {
    let whole = TestStore(
      state: App(todos: [Todo(id: 1, title: "Read this")]),
      reducer: combineReducers {
        forEach(\.todos, use: todo)
        removal
      })
    await whole.send(
      TodoIntent.share, in: 1,
      effects: [Share(title: "Read this").scheduled(.leading, id: "share").inside(1)])
    await whole.send(TodoIntent.remove, in: 1, effects: [CancelEffects(part: 1)]) { $0.todos = [] }
    await whole.finish()
  }

  @Test("undo and redo")
  func undo() {
    let editor = Store(
      state: History(Todo(id: 1, title: "")),
      reducer: undoable(
        todo, limit: 100,
        group: { intent in
          if case TodoIntent.retitle = intent { "title" } else { nil }
        }))
    editor.dispatch(TodoIntent.retitle("R"))
    editor.dispatch(TodoIntent.retitle("Re"))
    editor.dispatch(TodoIntent.toggle)
    editor.dispatch(HistoryIntent.undo)
    editor.dispatch(HistoryIntent.undo)

    #expect(editor.state.present == Todo(id: 1, title: ""))
    #expect(editor.state.redoCount == 2)
  }

  @Test("steps are asserted by their effect on the history")
  func undoInTests() async {
    let test = TestStore(
      state: History(Todo(id: 1, title: "")), reducer: undoable(todo, limit: 100))
    await test.send(TodoIntent.toggle) { $0.step { $0.isDone = true } }
    await test.send(HistoryIntent.undo) { $0.jump(by: -1) }
    await test.finish()
  }

  struct Comparison: Sendable {
    var left = History(Todo(id: 1, title: ""))
    var right = History(Todo(id: 2, title: ""))
  }

  enum Side { case left, right }

  @Test("a feature used twice")
  func twice() {
    let comparison: Reducer<Comparison> = combineReducers {
      withKey(\.left, id: Side.left, use: undoable(todo, limit: 100))
      withKey(\.right, id: Side.right, use: undoable(todo, limit: 100))
    }

    let pair = Store(state: Comparison(), reducer: comparison)
    pair.dispatch(ElementIntent(id: Side.left, intent: TodoIntent.toggle))
    pair.dispatch(ElementIntent(id: Side.left, intent: HistoryIntent.undo))

    let right = pair.view(of: \.right, id: Side.right)
    right.view(of: \.present, intent: TodoIntent.self).dispatch(.toggle)
    right.dispatch(HistoryIntent.undo)

    #expect(pair.state.left.redoCount == 1)
    #expect(pair.state.right.redoCount == 1)
    #expect(!pair.state.right.present.isDone)
  }

  private var app: Reducer<App> {
    combineReducers {
      session
      withKey(\.settings, use: settings)
    }
  }

  @Test("middleware")
  func middleware() {
    let signedInOnly: Middleware<App> = { dispatch, getState in
      { next in
        { intent in
          if intent is ElementIntent<Int>, getState().account == nil { return }
          next(intent)
        }
      }
    }

    let guarded = Store(state: App(), reducer: app, middleware: [signedInOnly])

    guarded.dispatch(ElementIntent(id: 1, intent: TodoIntent.toggle))
    guarded.dispatch(AppIntent.signIn(name: "Ada"))
    #expect(guarded.state.account == Account(name: "Ada"))
  }

  private struct Server: Sendable {
    func todos(of name: String) async -> [Todo] { [Todo(id: 1, title: name)] }
  }

  @Test("thunks")
  func thunks() async {
    let server = Server()

    let scripted = Store(state: App(), reducer: app, middleware: [thunkMiddleware()])
    scripted.dispatch(
      Thunk<App> { dispatch, getState in
        if getState().account == nil { dispatch(AppIntent.signIn(name: "Guest")) }
      })
    scripted.dispatch(
      AsyncThunk<App> { dispatch, getState in
        let todos = await server.todos(of: getState().account?.name ?? "")
        for todo in todos { dispatch(AppIntent.add(todo)) }
      })
    await scripted.settled()

    #expect(scripted.state.todos.map(\.title) == ["Guest"])
  }
}
