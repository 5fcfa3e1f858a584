import Glue
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

struct Search: Sendable { var query = "", results: [String] = [] }
enum SearchIntent: Intent { case type(String), found([String]) }
struct Find: Effect, Equatable { var text: String }

func search(state: inout Search, intent: SearchIntent) -> [Effect] {
  switch intent {
  case .type(let query):
    state.query = query
    return [Find(text: query).scheduled(.debounce(.milliseconds(300)), id: "search")]
  case .found(let results): state.results = results
  }
  return []
}

struct Poll: Effect, Equatable { var seconds: Int }

struct Desk: Sendable {
  var counter = History(AppState())
  var search = Search()
  var rooms: [String: AppState] = [:]
}

let desk: Reducer<Desk> = combineReducers {
  withKey(\.counter, use: undoable(reducer, limit: 100))
  withKey(\.search, use: search)
  forEach(\.rooms, use: reducer)
}

@Test func searchesWhenTypingPauses() async {
  let test = TestStore(state: Search(), reducer: search)
  test.stub(Find.self) { _ in [SearchIntent.found(["glue"])] }
  let find = Find(text: "glu").scheduled(.debounce(.milliseconds(300)), id: "search")

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

  private struct Index: Sendable {
    func titles(containing text: String) async -> [String] { ["Glue"].filter { $0.contains(text) } }
  }

  @Test("the search")
  func searches() async {
    let index = Index()

    let searching = Store(state: Search(), reducer: search)
    searching.on(Find.self) { find, dispatch async in
      dispatch(SearchIntent.found(await index.titles(containing: find.text)))
    }

    searching.dispatch(SearchIntent.type("lu"))
    #expect(searching.state.query == "lu")
    await searching.shutdown()
  }

  private struct Station: Sendable {
    let heard: AsyncStream<Int>.Continuation
    func listen(every seconds: Int) async { heard.yield(seconds) }
  }

  @Test("the poll begins and ceases with the state")
  func polls() async {
    let seconds = AsyncStream<Int>.makeStream()
    let station = Station(heard: seconds.continuation)

    let polling = Store(
      state: AppState(), reducer: reducer,
      lasting: { $0.value > 0 ? [Poll(seconds: $0.value).lasting(id: "poll")] : [] },
      handlers: { store in
        store.on(Poll.self) { poll, _ async in await station.listen(every: poll.seconds) }
      })

    polling.dispatch(AppIntent.increment)
    #expect(await seconds.stream.first { _ in true } == 1)
    await polling.shutdown()
  }

  @Test("the desk")
  func larger() {
    var state = Desk(rooms: ["hall": AppState()])
    _ = desk(&state, AppIntent.increment)
    _ = desk(&state, HistoryIntent.undo)
    _ = desk(&state, ElementIntent(id: "hall", intent: AppIntent.increment))
    _ = desk(&state, SearchIntent.type("glue"))

    #expect(state.counter.present.value == 0)
    #expect(state.counter.redoCount == 1)
    #expect(state.rooms["hall"]?.value == 1)
    #expect(state.search.query == "glue")
  }
}
