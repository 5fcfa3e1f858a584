import Glue
import GlueTesting
import Testing

// The code in documentation comments, word for word but for its indentation; `DocCommentTests`
// compares them.

@Suite("Comments of GlueTesting, on parts and on what an earlier process has left")
struct PartsComments {
  struct Room: Sendable, Equatable { var isOpen = false }
  enum RoomIntent: Intent { case open, opened }
  enum RoomEffect: Effect, Equatable { case unlock }

  struct House: Sendable, Equatable {
    var rooms = [2: Room()]
    var left = Wing()
  }
  struct Wing: Sendable, Equatable { var rooms = [2: History(Room())] }
  enum Side { case left }

  private func room(state: inout Room, intent: RoomIntent) -> [any Effect] {
    if case .open = intent { return [RoomEffect.unlock] }
    state.isOpen = true
    return []
  }

  @Test func intentsSentToParts() async {
    let house: Reducer<House> = forEach(\.rooms, use: room)
    let test = TestStore(state: House(), reducer: house)
    test.stub(RoomEffect.self) { _ in [RoomIntent.opened] }

    await test.send(RoomIntent.open, in: 2, effects: [RoomEffect.unlock.inside(2)])

    await test.receive(RoomIntent.opened, in: 2) { $0.rooms[2]?.isOpen = true }
  }

  @Test func intentsOfParts() async {
    let wing: Reducer<Wing> = forEach(\.rooms, use: undoable(room, limit: 10))
    let house: Reducer<House> = combineReducers {
      forEach(\.rooms, use: room)
      withKey(\.left, id: Side.left, use: wing)
    }
    var start = House()
    start.left.rooms[2]?.step { $0.isOpen = true }
    let test = TestStore(state: start, reducer: house)
    test.store.dispatch(ElementIntent(id: 2, intent: RoomIntent.opened))
    let undo = ElementIntent(id: 2, intent: HistoryIntent.undo)
    test.store.dispatch(ElementIntent(id: Side.left, intent: undo))

    await test.receive(RoomIntent.opened, in: 2) { $0.rooms[2]?.isOpen = true }
    await test.receive(HistoryIntent.undo, in: Side.left, 2) { $0.left.rooms[2]?.jump(by: -1) }
  }

  struct Search: Sendable, Equatable {
    var text = ""
    var results: [String] = []
  }
  enum SearchIntent: Intent, Equatable { case start, found([String]) }
  struct Found: Intent { var results: [String] }
  enum SearchEffect: Effect, Equatable { case query(String) }

  private func search(state: inout Search, intent: any Intent) -> [any Effect] {
    switch intent {
    case SearchIntent.start: return [SearchEffect.query(state.text)]
    case SearchIntent.found(let results): state.results = results
    case let found as Found: state.results = found.results
    default: break
    }
    return []
  }

  @Test func payloads() async {
    let test = TestStore(state: Search(), reducer: search)
    test.store.dispatch(SearchIntent.found(["a"]))
    test.store.dispatch(Found(results: ["b"]))

    await test.receive(case: SearchIntent.found) { state, results in state.results = results }

    await test.receive(any: Found.self) { state, found in state.results = found.results }
  }

  enum SessionIntent: Intent { case expired }

  @Test func delegated() async {
    let test = TestStore(state: Search(), reducer: search)
    test.stub(SearchEffect.self) { _ in [SessionIntent.expired] }

    test.delegate(SessionIntent.self)

    await test.send(SearchIntent.start, effects: [SearchEffect.query("")])

    await test.receive(SessionIntent.expired)
  }

  @Test func forbidden() async {
    let test = TestStore(state: Search(), reducer: search)

    test.forbid(SearchEffect.self)

    await test.send(SearchIntent.found(["a"])) { $0.results = ["a"] }
  }

  @Test func unfinished() async {
    let test = TestStore(
      state: Search(text: "glue"), reducer: search, unfinished: [SearchEffect.query("glue")])
    test.stub(SearchEffect.self) { _ in [SearchIntent.found([])] }
    await test.receive(SearchIntent.found([]))
  }
}
