import Glue
import GlueLogging
import GlueTesting
import ProcessSupport
import Testing

/// A row of a list that may hold rows itself: one reducer, and handlers that know nothing of parts.
private struct Row: Equatable, Sendable, Identifiable {
  let id: Int
  var text = ""
  var isPolling = false
  var rows: [Row] = []
}

private enum RowIntent: Intent, Equatable {
  case load, plain, cancel, loaded(String), shout, poll, remove, expire
}

private struct Load: Effect, Equatable {}
private struct Plain: Effect, Equatable {}
private struct Poll: Effect, Equatable {}

private enum SessionIntent: Intent, Equatable {
  static let leavesParts = true
  case expired
}

@Sendable private func own(row: inout Row, intent: RowIntent) -> [any Effect] {
  switch intent {
  case .load: return [Load().scheduled(.latest, id: "load")]
  case .plain: return [Plain()]
  case .cancel: return [CancelEffects(id: "load")]
  case .loaded(let text):
    row.text = text
    return [Send(RowIntent.shout)]
  case .shout: row.text = row.text.uppercased()
  case .poll: row.isPolling.toggle()
  case .expire: return [Send(SessionIntent.expired)]
  case .remove: break
  }
  return []
}

@Sendable private func row(row state: inout Row, intent: any Intent) -> [any Effect] {
  let whole: Reducer<Row> = combineReducers {
    own
    forEach(\.rows, use: row)
  }
  return whole(&state, intent)
}

private func polls(row: Row) -> [LastingEffect] {
  (row.isPolling ? [Poll().lasting(id: "poll")] : []) + lastingEach(row.rows, polls)
}

private struct List: Equatable, Sendable {
  var rows = [Row(id: 1), Row(id: 2, rows: [Row(id: 3)])]
  var named = ["a": Row(id: 4)]
  var detail: Row? = Row(id: 5)
  var isExpired = false
}

private enum Screen { case detail }

private enum ListIntent: Intent, Equatable { case remove(Int), cancelLoad(Int) }

@Sendable private func list(state: inout List, intent: ListIntent) -> [any Effect] {
  switch intent {
  case .remove(let id):
    state.rows.removeAll { $0.id == id }
    return [CancelEffects(part: id)]
  case .cancelLoad(let id): return [CancelEffects(id: PartID(id, "load"))]
  }
}

/// The list's answer to what a row asks.
@Sendable private func following(state: inout List, intent: ElementIntent<Int>) -> [any Effect] {
  intent.intent(as: RowIntent.self) == .remove
    ? list(state: &state, intent: .remove(intent.id)) : []
}

@Sendable private func session(state: inout List, intent: SessionIntent) -> [any Effect] {
  state.isExpired = true
  return []
}

private let lists: Reducer<List> = combineReducers {
  forEach(\.rows, use: row)
  forEach(\.named, use: row)
  withKey(\.detail, id: Screen.detail, use: row)
  following
  list
  session
}

@Suite("An effect of a part belongs to the part", .unwatched)
struct PartEffectTests {
  private func makeTest(_ state: List = List()) -> TestStore<List> {
    let test = TestStore(
      state: state, reducer: lists,
      lasting: {
        lastingEach($0.rows, polls) + lastingEach($0.named, polls)
          + lastingEach($0.detail, id: Screen.detail, polls)
      })
    test.on(Load.self) { [clock = test.clock] _, dispatch async in
      try? await clock.sleep(for: .seconds(1))
      dispatch(RowIntent.loaded("x"))
    }
    return test
  }

  private func inside(_ path: [any Hashable & Sendable], _ intent: RowIntent) -> any Intent {
    path.reversed().reduce(intent as any Intent) { intent, id in
      func element(_ id: some Hashable & Sendable) -> any Intent {
        ElementIntent(id: id, intent: intent)
      }
      return element(id)
    }
  }

  private static let places: [[any Hashable & Sendable]] = [[1], [2, 3], ["a"], [Screen.detail]]

  private func row(at place: [any Hashable & Sendable], in state: List) -> Row? {
    switch place.count {
    case 2: state.rows.last?.rows.first
    default:
      if place[0] is Int {
        state.rows.first
      } else {
        place[0] is String ? state.named["a"] : state.detail
      }
    }
  }

  @Test(
    "its handler replies to it, in a row, two levels deep, in a dictionary, as a detail",
    arguments: 0..<4)
  func replies(_ index: Int) async {
    let place = Self.places[index]
    let store = Store(state: List(), reducer: lists, report: { Issue.record("\($0)") })
    store.on(Load.self) { _, dispatch async in dispatch(RowIntent.loaded("async")) }
    store.on(Plain.self) { _, dispatch in dispatch(RowIntent.loaded("sync")) }
    store.on(Poll.self) { _, dispatch async in }
    await store.perform(inside(place, .load))
    #expect(row(at: place, in: store.state)?.text == "ASYNC")
    store.dispatch(inside(place, .plain))
    #expect(row(at: place, in: store.state)?.text == "SYNC")
    var rest = store.state
    rest.rows[0].text = ""
    rest.rows[1].rows[0].text = ""
    rest.named["a"]?.text = ""
    rest.detail?.text = ""
    #expect(rest == List())
  }

  @Test("its main-actor handler replies to it") @MainActor
  func repliesFromMainActor() async {
    let store = Store(state: List(), reducer: lists)
    store.on(Plain.self) { @MainActor _, dispatch in dispatch(RowIntent.shout) }
    store.on(Plain.self) { @MainActor _, dispatch in dispatch(RowIntent.loaded("x")) }
    await store.perform(inside([2, 3], .plain))
    #expect(store.state.rows[1].rows[0].text == "X")
  }

  @Test("it works for a row as if the row were alone")
  func asIfAlone() async {
    let test = makeTest()
    for id in 1...2 {
      await test.send(
        ElementIntent(id: id, intent: RowIntent.load),
        effects: [Load().scheduled(.latest, id: "load").inside(id)])
    }
    await test.send(
      ElementIntent(id: 2, intent: RowIntent.cancel),
      effects: [CancelEffects(id: "load").inside(2)])
    await test.clock.advance(by: .seconds(1))
    await test.receive(RowIntent.loaded("x"), in: 1, effects: [Send(RowIntent.shout).inside(1)]) {
      $0.rows[0].text = "x"
    }
    await test.receive(RowIntent.shout, in: 1) { $0.rows[0].text = "X" }
    await test.finish()
  }

  @Test("the part around a part cancels it, scheduled or not, queued or running")
  func canceledFromOutside() async {
    for intents in [[RowIntent.load], [.plain], [.plain, .load]] {
      let test = makeTest()
      test.on(Plain.self) { [clock = test.clock] _, dispatch async in
        try? await clock.sleep(for: .seconds(1))
        dispatch(RowIntent.loaded("late"))
      }
      await test.withExhaustivity(.off) {
        for intent in intents { await test.send(inside([2, 3], intent)) }
        await test.send(ElementIntent(id: 2, intent: RowIntent.remove)) {
          $0.rows = [Row(id: 1)]
        }
      }
      await test.clock.advance(by: .seconds(1))
      await test.finish()
    }
  }

  @Test("the row around it cancels it by the inner row's id, and no other row's")
  func canceledByItsRow() async {
    let outer: Reducer<List> = forEach(\.rows) { (row: inout Row, intent: RowIntent) in
      intent == .cancel ? [CancelEffects(part: 3)] : [Load()]
    }
    var state = List()
    #expect(
      outer(&state, inside([2], .cancel)) == [CancelEffects(part: PartID(2, 3))] as [any Effect])
    #expect(outer(&state, inside([2], .load)) == [Load().inside(2)])
  }

  @Test("the whole cancels one effect of a row by its PartID")
  func byPartID() async {
    let test = makeTest()
    await test.send(
      inside([1], .load), effects: [Load().scheduled(.latest, id: "load").inside(1)])
    await test.send(ListIntent.cancelLoad(1), effects: [CancelEffects(id: PartID(1, "load"))])
    await test.finish()
  }

  @Test("an intent that leaves parts goes to the whole, at any depth")
  func leaving() async {
    let test = makeTest()
    await test.send(inside([2, 3], .expire), effects: [Send(SessionIntent.expired).inside(2, 3)])
    await test.receive(SessionIntent.expired) { $0.isExpired = true }
    test.stub(Plain.self) { _ in [SessionIntent.expired] }
    await test.send(inside([2, 3], .plain), effects: [Plain().inside(2, 3)])
    await test.receive(SessionIntent.expired)
    await test.finish()
  }

  @Test("thunks leave parts")
  func thunks() async {
    let store = Store(state: List(), reducer: lists, middleware: [thunkMiddleware()])
    store.on(Plain.self) { _, dispatch in
      dispatch(Thunk<List> { dispatch, _ in dispatch(SessionIntent.expired) })
    }
    store.dispatch(inside([2, 3], .plain))
    #expect(store.state.isExpired)
  }

  @Test("lasting effects of rows share an id, reply to their rows and end with them")
  func lasting() async {
    let test = makeTest()
    test.on(Poll.self) { [clock = test.clock] _, dispatch async in
      while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(RowIntent.shout) }
    }
    await test.send(inside([1], .poll), began: [Poll().lasting(id: "poll").inside(1)]) {
      $0.rows[0].isPolling = true
    }
    await test.send(inside([2, 3], .poll), began: [Poll().lasting(id: "poll").inside(2, 3)]) {
      $0.rows[1].rows[0].isPolling = true
    }
    await test.send(inside(["a"], .poll), began: [Poll().lasting(id: "poll").inside("a")]) {
      $0.named["a"]?.isPolling = true
    }
    let detail = Poll().lasting(id: "poll").inside(Screen.detail)
    await test.send(inside([Screen.detail], .poll), began: [detail]) { $0.detail?.isPolling = true }
    await test.clock.advance(by: .seconds(1))
    await test.receive(RowIntent.shout, in: 1)
    await test.receive(RowIntent.shout, in: 2, 3)
    await test.receive(RowIntent.shout, in: "a")
    await test.receive(RowIntent.shout, in: Screen.detail)
    await test.send(
      ListIntent.remove(2), effects: [CancelEffects(part: 2)],
      ceased: [Poll().lasting(id: "poll").inside(2, 3)]
    ) { $0.rows.removeLast() }
    await test.finish()
  }

  @Test("in a recursion, a hundred levels deep")
  func recursion() async {
    let depth = 100
    let path = Array(1...depth)
    let deepest = path.dropLast().reversed().reduce(Row(id: depth)) { Row(id: $1, rows: [$0]) }
    let store = Store(state: List(rows: [deepest]), reducer: lists)
    store.on(Load.self) { _, dispatch async in dispatch(RowIntent.loaded("x")) }
    store.on(Plain.self) { _, dispatch in dispatch(RowIntent.loaded("y")) }
    func text(_ row: Row) -> String { row.rows.first.map(text) ?? row.text }
    await store.perform(inside(path, .load))
    #expect(store.state.rows.map(text) == ["X"])
    store.dispatch(inside(path, .plain))
    #expect(store.state.rows.map(text) == ["Y"])
    store.dispatch(ListIntent.remove(1))
    await store.settled()
  }

  @Test("an undoable part's handler also undoes")
  func undoable() {
    struct Documents: Equatable, Sendable {
      var left = History(Row(id: 1))
      var right = History(Row(id: 2))
    }
    let reducer: Reducer<Documents> = combineReducers {
      withKey(\.left, id: "left", use: Glue.undoable(own, limit: 9))
      withKey(\.right, id: "right", use: Glue.undoable(own, limit: 9))
    }
    let store = Store(state: Documents(), reducer: reducer)
    store.on(Plain.self) { _, dispatch in
      dispatch(RowIntent.loaded("x"))
      dispatch(HistoryIntent.undo)
    }
    store.dispatch(ElementIntent(id: "left", intent: RowIntent.plain))
    #expect(store.state.left.present.text == "" && store.state.left.redoCount == 1)
    #expect(store.state.right == History(Row(id: 2)))
  }

  @Test("scheduled outside of its part, it has an id of the part all the same")
  func scheduledOutside() {
    let effect = Load().inside(2, 3)
    #expect(
      [effect.scheduled(.latest, id: "a")] == [Load().scheduled(.latest, id: "a").inside(2, 3)])
    #expect(
      [Load().scheduled(.leading, id: "b").inside(2).scheduled(.latest, id: "a")]
        == [Load().scheduled(.latest, id: "a").inside(2)])
    #expect(!([Load().inside(2)] == [Load().inside(3)]))
    #expect(!([Load().inside(2)] == [Load()] as [any Effect]))
    #expect([Load().inside(1, 2)] == [Load().inside(2).inside(1)])
  }

  @Test("what a shutdown leaves names the part")
  func unfinished() async {
    let store = Store(state: List(), reducer: lists)
    let (stream, end) = AsyncStream<Void>.makeStream()
    let gate = Task { for await _ in stream {} }
    store.on(Plain.self) { _, _ async in await gate.value }
    store.dispatch(inside([2, 3], .plain))
    let left = await store.shutdown(finishing: .zero, within: .zero)
    #expect(left.map(\.description) == ["Plain() in 2, 3 was canceled, but has not returned"])
    end.finish()
    await store.shutdown()
  }

  @Test("a log names the part")
  func log() {
    let lines = Transcript<String>()
    let store = Store(state: List(), reducer: lists, monitors: [LogMonitor { lines.write($0) }])
    store.on(Plain.self) { _, _ in }
    store.on(Load.self) { _, _ async in }
    store.dispatch(inside([2, 3], .plain))
    store.dispatch(inside([1], .load))
    #expect(
      lines.lines.map { $0.split(separator: "\n").last.map(String.init) } == [
        "  effects[0]: Plain().inside(2, 3)",
        #"  effects[0]: Load().scheduled(.latest, id: "load").inside(1)"#,
      ])
  }
}

@Suite("Where the program asks, effects end with their part", .unwatched)
struct EndingPartsTests {
  private let clock = TestClock()

  @Sendable private static func forgetful(state: inout List, intent: ListIntent) -> [any Effect] {
    if case .remove(let id) = intent {
      state.rows.removeAll { $0.id == id }
      state.detail = nil
      state.named = [:]
      state.rows.indices.forEach { state.rows[$0].rows = [] }
    }
    return []
  }

  private func makeStore(asking asks: Bool) -> Store<History<List>> {
    let reducer: Reducer<List> = combineReducers {
      forEach(\.rows, use: row)
      forEach(\.named, use: row)
      withKey(\.detail, id: Screen.detail, use: row)
      Self.forgetful
    }
    let store = Store(
      state: History(List()), reducer: undoable(reducer, limit: 9), clock: clock)
    store.on(Load.self) { [clock] _, dispatch async in
      try? await clock.sleep(for: .seconds(1))
      dispatch(RowIntent.loaded("late"))
    }
    store.on(Plain.self) { [clock] _, dispatch async in
      try? await clock.sleep(for: .seconds(1))
      dispatch(RowIntent.loaded("late"))
    }
    if asks {
      let parts: [Parts<List>] = [
        .each(\.rows, nestedRows()), .each(\.named), .part(\.detail, id: Screen.detail),
      ]
      store.endEffects(
        with: .within(\.present, parts[0]), .within(\.present, parts[1]),
        .within(\.present, parts[2]))
    }
    return store
  }

  private static let parts: [[any Hashable & Sendable]] = [[1], [2, 3], ["a"], [Screen.detail]]

  private func send(
    _ intent: RowIntent, to path: [any Hashable & Sendable], in store: Store<History<List>>
  ) {
    store.dispatch(
      path.reversed().reduce(intent as any Intent) { intent, id in
        func element(_ id: some Hashable & Sendable) -> any Intent {
          ElementIntent(id: id, intent: intent)
        }
        return element(id)
      })
  }

  @Test(
    "by a reducer that forgets them, and then by an undo nothing comes back",
    arguments: [true, false], [true, false])
  func endings(asks: Bool, isScheduled: Bool) async {
    let intent = isScheduled ? RowIntent.load : .plain
    let store = makeStore(asking: asks)
    for path in Self.parts { send(intent, to: path, in: store) }
    await clock.rest()
    store.dispatch(ListIntent.remove(1))
    store.dispatch(HistoryIntent.undo)
    await clock.advance(by: .seconds(1))
    await store.settled()
    let list = store.state.present
    let texts = [
      list.rows[0].text, list.rows[1].rows[0].text, list.named["a"]?.text, list.detail?.text,
    ]
    #expect(texts == (asks ? ["", "", "", ""] : ["LATE", "LATE", "LATE", "LATE"]))
  }

  @Test("a part that another collection with ids of its type holds is there, also for two calls")
  func collections() async {
    struct Shelf: Sendable {
      var rows = [Row(id: 1)]
      var archive = [Row(id: 2)]
    }
    let reducer: Reducer<Shelf> = combineReducers {
      forEach(\.rows, use: row)
      forEach(\.archive, use: row)
    }
    let store = Store(state: Shelf(), reducer: reducer, clock: clock)
    store.on(Load.self) { [clock] _, dispatch async in
      try? await clock.sleep(for: .seconds(1))
      dispatch(RowIntent.loaded("late"))
    }
    store.endEffects(with: .each(\.rows))
    store.endEffects(with: .each(\.archive))
    store.dispatch(ElementIntent(id: 1, intent: RowIntent.load))
    store.dispatch(ElementIntent(id: 2, intent: RowIntent.load))
    await clock.rest()
    await clock.advance(by: .seconds(1))
    await store.settled()
    #expect(store.state.rows[0].text == "LATE")
    #expect(store.state.archive[0].text == "LATE")
  }

  private struct Shelf: Sendable {
    var rows = [Row(id: 1), Row(id: 2)]
    var text = ""
  }

  /// A store whose rows end with their effects; `removing` returns effects as it removes a row.
  private func makeShelf(
    _ problems: Transcript<Problem>, removing: [any Effect] = [],
    started: Transcript<String> = Transcript()
  ) -> Store<Shelf> {
    let reducer: Reducer<Shelf> = combineReducers {
      forEach(\.rows) { (_: inout Row, intent: RowIntent) in
        intent == .remove
          ? removing : intent == .load ? [Load().scheduled(.concurrent, id: "a")] : []
      }
      reduce { (shelf: inout Shelf, intent: ElementIntent<Int>) in
        if intent.intent(as: RowIntent.self) == .remove {
          shelf.rows.removeAll { $0.id == intent.id }
        }
        return []
      }
      reduce { (shelf: inout Shelf, intent: RowIntent) in
        if case .loaded(let text) = intent { shelf.text = text }
        return intent == .load ? [Load().scheduled(.concurrent, id: PartID(1, "a"))] : []
      }
    }
    let store = Store(
      state: Shelf(), reducer: reducer, clock: clock, report: { problems.write($0) })
    store.on(Load.self) { [clock] _, dispatch async in
      started.write("load")
      if (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(RowIntent.loaded("loaded")) }
    }
    store.endEffects(with: .each(\.rows))
    return store
  }

  @Test("an effect of the whole remains that has the id of a part's effect")
  func ofTheWhole() async {
    let problems = Transcript<Problem>()
    let store = makeShelf(problems)
    store.dispatch(RowIntent.load)
    store.dispatch(ElementIntent(id: 1, intent: RowIntent.load))
    await clock.rest()
    store.dispatch(ElementIntent(id: 1, intent: RowIntent.remove))
    store.dispatch(RowIntent.shout)
    await clock.advance(by: .seconds(1))
    await store.settled()
    #expect(store.state.text == "loaded")
    #expect(problems.lines == [])
  }

  @Test("what the commit emits that removes the part never starts, which is a problem")
  func ofTheLastCommit() async {
    let problems = Transcript<Problem>()
    let started = Transcript<String>()
    let store = makeShelf(problems, removing: [Load()], started: started)
    store.dispatch(ElementIntent(id: 1, intent: RowIntent.remove))
    await clock.advance(by: .seconds(1))
    await store.settled()
    #expect(started.lines == [])
    #if DEBUG
      #expect(problems.lines == [.cancellationOfOwnEffect(type: "Load")])
    #endif
  }

  @Test("of the parts that remain, nothing ends")
  func others() async {
    let store = makeStore(asking: true)
    send(.load, to: [2], in: store)
    send(.load, to: [1], in: store)
    store.dispatch(ListIntent.remove(1))
    await clock.advance(by: .seconds(1))
    await store.settled()
    #expect(store.state.present.rows.map(\.text) == ["LATE"])
  }
}

private func nestedRows() -> Parts<Row> { .each(\.rows, nestedRows()) }
