import Glue
import ProcessSupport
import Testing

@Suite("An intent that no reducer knows is a problem in debug builds", .unwatched)
struct UnknownIntentTests {
  private struct Row: Sendable, Identifiable, Equatable {
    let id: Int
    var value = 0
  }

  private enum RowIntent: Intent { case add }
  private struct Foreign: Intent {}

  private struct App: Sendable {
    var rows = [Row(id: 1)]
    var named = ["a": Row(id: 1)]
    var row = Row(id: 1)
    var missing: Row?
    var drawing = History(Row(id: 1))
  }

  @Sendable
  private static func reduce(row: inout Row, intent: RowIntent) -> [any Effect] {
    row.value += 1
    return []
  }

  @Sendable
  private static func reduceAny(row: inout Row, intent: any Intent) -> [any Effect] { [] }

  private static let row: Reducer<Row> = combineReducers { Self.reduce }

  /// A store's reports of intents: type and cure of each that no reducer knows.
  private func unknown(
    _ intents: any Intent..., to reducer: @escaping Reducer<App>,
    monitors: [any Monitor<App>] = []
  ) -> [[String]] {
    let problems = Transcript<Problem>()
    let store = Store(
      state: App(), reducer: reducer, monitors: monitors, report: { problems.write($0) })
    for intent in intents { store.dispatch(intent) }
    return problems.lines.compactMap {
      if case .unknownIntent(let type, let cure) = $0 { [type, cure] } else { nil }
    }
  }

  private func expect(_ actual: [[String]], _ expected: [[String]], _ line: Int = #line) {
    #if DEBUG
      #expect(actual == expected, "line \(line)")
    #else
      #expect(actual.isEmpty, "line \(line)")
    #endif
  }

  @Test("a wrong type, behind any combinators, once a type")
  func wrongType() {
    let cure = "combine the reducer of its feature"
    let part: Reducer<App> = withKey(\.row, use: Self.reduce)
    expect(unknown(Foreign(), Foreign(), to: part), [["Foreign", cure]])
    expect(unknown(RowIntent.add, to: part), [])
    let nested: Reducer<App> = combineReducers {
      combineReducers { withKey(\.row, use: Self.row) }
      combineReducers(part, withKey(\.missing, use: Self.reduce), part)
    }
    expect(unknown(Foreign(), RowIntent.add, to: nested), [["Foreign", cure]])
  }

  @Test("no reducer at all knows none, alone and beside others")
  func emptyBlock() {
    let tools: Reducer<App> = combineReducers { for none in [] as [Reducer<App>] { none } }
    expect(unknown(Foreign(), to: tools), [["Foreign", "combine the reducer of its feature"]])
    let both: Reducer<App> = combineReducers {
      tools
      withKey(\.row, use: Self.reduce)
    }
    expect(unknown(Foreign(), to: both), [["Foreign", "combine the reducer of its feature"]])
  }

  @Test("an intent of an element or a part that was not wrapped")
  func notWrapped() {
    let wrapping = "a forEach takes it in ElementIntent(id: …, intent: …)"
    expect(
      unknown(RowIntent.add, to: forEach(\.rows, use: Self.reduce)), [["RowIntent", wrapping]])
    expect(
      unknown(RowIntent.add, to: forEach(\.named, use: Self.reduce)), [["RowIntent", wrapping]])
    let other =
      "combine the reducer of its feature, or send it in ElementIntent(id: …, intent: …)"
    expect(unknown(RowIntent.add, to: forEach(\.rows, use: Self.row)), [["RowIntent", other]])
    expect(
      unknown(RowIntent.add, to: withKey(\.row, id: 1, use: Self.reduce)), [["RowIntent", other]])
  }

  @Test("an element's id of another type, an inner type that does not fit, a part's wrong id")
  func wrongAddress() {
    let wrongID = ElementIntent(id: "1", intent: RowIntent.add)
    let cure =
      "a forEach or a withKey(_:id:use:) whose ids are of String takes it, and the ids here are of "
      + "Int"
    for reducer in [forEach(\App.rows, use: Self.reduce), forEach(\App.rows, use: Self.row)] {
      expect(unknown(wrongID, to: reducer), [["ElementIntent<String> of RowIntent", cure]])
      expect(
        unknown(ElementIntent(id: 1, intent: Foreign()), to: reducer),
        [
          [
            "ElementIntent<Int> of Foreign",
            "no part has its id, or no reducer there takes its intent",
          ]
        ])
    }
    expect(
      unknown(
        ElementIntent(id: 2, intent: RowIntent.add), to: withKey(\.row, id: 1, use: Self.row)
      ).map { [$0[0]] }, [["ElementIntent<Int> of RowIntent"]])
  }

  @Test("a step of a history where there is none, or an intent that a history's reducer lacks")
  func histories() {
    let cure = "an undoable(_:limit:) takes it"
    expect(
      unknown(HistoryIntent.undo, to: withKey(\.row, use: Self.reduce)), [["HistoryIntent", cure]])
    let wrapping = ", or send it in ElementIntent(id: …, intent: …)"
    expect(
      unknown(
        HistoryIntent.undo, to: withKey(\.drawing, id: 1, use: undoable(Self.reduce, limit: 9))),
      [["HistoryIntent", cure + wrapping]])
    let undoing: Reducer<App> = withKey(\.drawing, use: undoable(Self.reduce, limit: 9))
    expect(unknown(HistoryIntent.undo, RowIntent.add, to: undoing), [])
    expect(unknown(Foreign(), to: undoing).map { [$0[0]] }, [["Foreign"]])
    expect(
      unknown(
        HistoryIntent.undo, to: withKey(\.drawing, use: undoable(Self.row, limit: 0))), [])
  }

  @Test("nothing of an element or a part that is not there, which late effects address")
  func missing() {
    let gone = ElementIntent(id: 2, intent: RowIntent.add)
    expect(unknown(gone, to: forEach(\.rows, use: Self.reduce)), [])
    expect(unknown(gone, to: forEach(\.rows, use: Self.row)), [])
    expect(
      unknown(
        ElementIntent(id: "z", intent: RowIntent.add), to: forEach(\.named, use: Self.reduce)), [])
    expect(unknown(RowIntent.add, to: withKey(\.missing, use: Self.reduce)), [])
    expect(unknown(Foreign(), to: withKey(\.missing, use: Self.row)), [])
    let beside: Reducer<App> = combineReducers {
      withKey(\.missing, use: Self.row)
      withKey(\.row) { (_: inout Row, _: Foreign) -> [any Effect] in [] }
    }
    expect(unknown(RowIntent.add, to: beside), [])
    for missing in [
      withKey(\App.missing, id: 1, use: Self.row), withKey(\.missing, id: 1, use: Self.reduceAny),
    ] {
      let late = ElementIntent(id: 1, intent: RowIntent.add)
      expect(unknown(late, to: missing), [])
      expect(unknown(late, to: combineReducers { missing }), [])
    }
  }

  @Test("nothing beside a custom reducer that takes all intents")
  func erased() {
    expect(unknown(Foreign(), to: { _, _ in [] }), [])
    let beside: Reducer<App> = combineReducers {
      withKey(\.row, use: Self.reduce)
      withKey(\.row, use: Self.reduceAny)
    }
    expect(unknown(Foreign(), to: beside), [])
    expect(
      unknown(
        ElementIntent(id: 1, intent: Foreign()), to: forEach(\.rows, use: Self.reduceAny)), [])
  }

  @Test("a reducer that uses another store does not mix up what the two know")
  func nested() {
    let inner = Store(state: Row(id: 1), reducer: Self.reduce, report: { _ in })
    let outer: Reducer<App> = combineReducers {
      withKey(\.row) { (row: inout Row, intent: Foreign) in
        inner.dispatch(RowIntent.add)
        return []
      }
      withKey(\.row) { (row: inout Row, intent: RowIntent) in
        inner.dispatch(Foreign())
        return []
      }
    }
    expect(unknown(Foreign(), RowIntent.add, to: outer), [])
  }

  @Test("where something observes the commits, too")
  func observed() {
    let part: Reducer<App> = withKey(\.row, use: Self.reduce)
    expect(
      unknown(Foreign(), to: part, monitors: [Watching()]).map { [$0[0]] }, [["Foreign"]])
  }

  private struct Watching: Monitor {
    func observe(_ commit: Commit<App>) {}
  }
}
