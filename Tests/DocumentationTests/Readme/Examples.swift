import Dispatch
import Glue
import GlueLogging
import GlueTesting
import Testing

// The README's Swift code, word for word but for its indentation; `ReadmeTests` compares them.

struct AppState { var value = 0 }
enum AppIntent: Intent { case increment, decrement }
enum AppEffect: Effect { case playSound }

func reducer(state: inout AppState, intent: AppIntent) -> [Effect] {
  switch intent {
  case .increment:
    state.value += 1
    if state.value % 5 == 0 { return [AppEffect.playSound] }
    return []
  case .decrement where state.value > 0:
    state.value -= 1
    return []
  default:
    return []
  }
}

class Player {
  func play() { print("\u{7}", terminator: "") }
}

class SoundEffectHandler: EffectHandler {
  private var player = Player()
  func handle(effect: Effect, dispatch: @escaping DispatchFunc) {
    guard case AppEffect.playSound = effect else { return }
    player.play()
  }
}

enum ClockIntent: Intent { case tick, ticked(at: ContinuousClock.Instant) }
enum ClockEffect: Effect { case readTime }

struct Todo: Sendable, Identifiable {
  var id: Int
  var isDone = false
}
enum TodoIntent: Intent { case toggle }

func todoReducer(todo: inout Todo, intent: TodoIntent) -> [Effect] {
  switch intent {
  case .toggle: todo.isDone.toggle()
  }
  return []
}

struct House: Sendable {
  var counter = History(AppState())
  var todos = [Todo(id: 1), Todo(id: 2)]
}

struct Search: Sendable {
  var query = ""
  var results: [String] = []
}
enum SearchIntent: Intent { case type(String), found([String]) }
enum SearchEffect: Effect { case find(String) }

func search(state: inout Search, intent: SearchIntent) -> [Effect] {
  switch intent {
  case .type(let query):
    state.query = query
    return [SearchEffect.find(query).scheduled(.debounce(.milliseconds(300)), id: "search")]
  case .found(let results):
    state.results = results
    return []
  }
}

struct Searching: AsyncEffectHandler {
  let names: [String]
  func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
    guard case .find(let query) = effect else { return }
    dispatch(SearchIntent.found(names.filter { $0.contains(query) }))
  }
}

@Test func everyFifthIncrementPlaysASound() {
  var state = AppState(value: 4)
  let effects = reducer(state: &state, intent: .increment)
  #expect(state.value == 5)
  #expect(effects == [AppEffect.playSound])
}

@Test func searchesWhenTypingPauses() async {
  let test = TestStore(state: Search(), reducer: search)
  test.add(effectHandler: Searching(names: ["glow", "glue"]))
  let find = SearchEffect.find("glu").scheduled(.debounce(.milliseconds(300)), id: "search")

  await test.send(SearchIntent.type("glu"), effects: [find]) { $0.query = "glu" }
  await test.clock.advance(by: .milliseconds(300))
  await test.receive(SearchIntent.found(["glue"])) { $0.results = ["glue"] }
  await test.finish()
}

@Suite("The README's examples run")
struct ExampleTests {
  @Test("the counter")
  func counter() {
    let store = Store(state: AppState(), reducer: reducer)
    store.add(effectHandler: SoundEffectHandler())
    let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }
    for _ in 1...5 { store.dispatch(AppIntent.increment) }

    #expect(store.state.value == 5)
    withExtendedLifetime(subscription) {}
  }

  @Test("the clock")
  func clock() {
    let clock = Store(state: ContinuousClock.Instant?.none) { (state, intent: ClockIntent) in
      switch intent {
      case .tick:
        return [ClockEffect.readTime]
      case .ticked(let instant):
        state = instant
        return []
      }
    }

    clock.on(ClockEffect.self) { effect, dispatch in
      switch effect {
      case .readTime: dispatch(ClockIntent.ticked(at: .now))
      }
    }

    clock.dispatch(ClockIntent.tick)
    print(clock.state != nil)

    #expect(clock.state != nil)
  }

  @Test("the house")
  func larger() {
    let house = Store(
      state: House(),
      reducer: combineReducers {
        withKey(\.counter, use: undoable(reducer, limit: 100))
        forEach(\.todos, use: todoReducer)
      })
    house.dispatch(AppIntent.increment)
    house.dispatch(HistoryIntent.undo)
    house.dispatch(ElementIntent(id: 2, intent: TodoIntent.toggle))
    print(house.state.todos[1].isDone)

    #expect(house.state.todos.map(\.isDone) == [false, true])
    #expect(house.state.counter.redoCount == 1)
  }

  @Test("the house, watched")
  func watched() {
    let onlyOnce: Middleware<House> = { dispatch, getState in
      { next in
        { intent in
          if intent is HistoryIntent, getState().counter.undoCount == 0 { return }
          next(intent)
        }
      }
    }

    let watched = Store(
      state: House(), reducer: withKey(\.counter, use: undoable(reducer, limit: 100)),
      middleware: [thunkMiddleware(), onlyOnce], monitors: [LogMonitor<House>()])
    watched.dispatch(
      Thunk<House> { dispatch, getState in
        dispatch(AppIntent.increment)
        if getState().counter.present.value > 0 { dispatch(HistoryIntent.undo) }
      })

    #expect(watched.state.counter.redoCount == 1)
    #expect(watched.state.counter.present.value == 0)
  }

  @Test("a delivery on a queue")
  func background() {
    let background = Store(
      state: AppState(), reducer: reducer, delivery: .queue(DispatchQueue(label: "deliveries")))

    background.dispatch(AppIntent.increment)
    #expect(background.state.value == 1)
  }
}
