import Glue
import GlueTesting
import Observation
import ProcessSupport
import Testing

/// Reflow's counter: closures as effects, a logging middleware, reducers by key, observation.
@Suite("Walkthrough: Reflow's counter", .unwatched)
struct ReflowCounterTests {
  private struct Counted: Sendable, Equatable {
    var count = 0
    var name = ""
  }
  private struct Login: Sendable, Equatable {
    var token = ""
  }
  private struct App: Sendable {
    var counter = Counted()
    var login = Login()
  }
  private enum CountedIntent: Intent {
    case increment, loadedName(String)
  }
  private enum LoginIntent: Intent {
    case login(token: String)
  }

  private static let reducer: Reducer<App> = combineReducers(
    withKey(\.counter) { (counter: inout Counted, intent: CountedIntent) -> [any Effect] in
      switch intent {
      case .increment: counter.count += 1
      case .loadedName(let name): counter.name = name
      }
      return []
    },
    withKey(\.login) { (login: inout Login, intent: LoginIntent) -> [any Effect] in
      if case .login(let token) = intent { login.token = token }
      return []
    })

  private let log = Transcript<String>()
  private let clock = TestClock()
  private let store: Store<App>

  init() {
    let logging: Middleware<App> = { [log] _, getState in
      { next in
        { intent in
          log.write("\(intent) at \(getState().counter.count)")
          next(intent)
        }
      }
    }
    store = Store(
      state: App(), reducer: Self.reducer, middleware: [thunkMiddleware(), logging], clock: clock)
  }

  @Test("a synchronous closure reads the state and dispatches, and the log has the intents")
  func synchronous() {
    let twice = Thunk<App> { dispatch, getState in
      dispatch(CountedIntent.increment)
      if getState().counter.count == 1 { dispatch(CountedIntent.increment) }
    }
    store.dispatch(twice)
    store.dispatch(LoginIntent.login(token: "t"))

    #expect(store.state.counter.count == 2)
    #expect(store.state.login.token == "t")
    #expect(log.lines == ["increment at 0", "increment at 1", "login(token: \"t\") at 2"])
  }

  @Test("an asynchronous closure waits for a service")
  func asynchronous() async {
    store.dispatch(
      AsyncThunk<App> { [clock] dispatch, _ in
        try? await clock.sleep(for: .seconds(1))
        dispatch(CountedIntent.loadedName("Ada"))
      })
    #expect(store.state.counter.name == "")
    await clock.run()
    #expect(store.state.counter.name == "Ada")
  }

  @Test("an observed store notifies of the part that was read, and of no other") @MainActor
  func observed() {
    let observed = ObservedStore(store)
    let hasChanged = Shared(false)
    withObservationTracking {
      #expect(observed.counter.count == 0)
    } onChange: {
      hasChanged.value = true
    }
    observed.dispatch(LoginIntent.login(token: "t"))
    #expect(!hasChanged.value)
    observed.dispatch(CountedIntent.increment)
    #expect(hasChanged.value)
  }
}
