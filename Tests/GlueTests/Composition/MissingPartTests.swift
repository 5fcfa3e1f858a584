import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("An intent from outside that meets no part is a problem in debug builds", .unwatched)
struct MissingPartTests {
  private struct Row: Sendable, Identifiable, Equatable {
    let id: Int
    var value = 0
    var rows: [Int: Row] = [:]
  }

  private enum RowIntent: Intent { case add, remove }
  private struct Foreign: Intent {}
  private struct Outgoing: Intent {}

  private struct App: Sendable, Equatable {
    var rows = [Row(id: 1)]
    var named = ["a": Row(id: 1)]
    var detail: Row?
  }

  @Sendable private static func add(row: inout Row, intent: RowIntent) -> [any Effect] {
    row.value += 1
    return []
  }

  private static let row: Reducer<Row> = combineReducers {
    add
    forEach(\.rows, use: add)
  }

  /// A store's reports: "missing" or "unknown", with the type.
  private func problems(
    _ intents: any Intent..., to reducer: @escaping Reducer<App>, state: App = App(),
    _ change: (Store<App>) -> Void = { _ in }
  ) -> [String] {
    let problems = Transcript<String>()
    let store = Store(
      state: state, reducer: reducer,
      report: { problem in
        switch problem {
        case .missingPart(let type, _): problems.write("missing: \(type)")
        case .unknownIntent(let type, _): problems.write("unknown: \(type)")
        case .duplicateElement(let type): problems.write("duplicate: \(type)")
        default: problems.write("\(problem)")
        }
      })
    change(store)
    for intent in intents { store.dispatch(intent) }
    return problems.lines
  }

  private func expect(_ actual: [String], _ expected: [String], _ line: Int = #line) {
    #if DEBUG
      #expect(actual == expected, "line \(line)")
    #else
      #expect(actual.isEmpty, "line \(line)")
    #endif
  }

  private static func inRow(_ id: Int, _ intent: any Intent = RowIntent.add) -> ElementIntent<Int> {
    ElementIntent(id: id, intent: intent)
  }

  @Test("an element or an optional part that isn't there, once a type")
  func missing() {
    let gone = Self.inRow(2)
    let missing = ["missing: ElementIntent<Int> of RowIntent"]
    expect(problems(gone, gone, to: forEach(\.rows, use: Self.add)), missing)
    expect(problems(gone, to: forEach(\.rows, use: Self.row)), missing)
    expect(
      problems(ElementIntent(id: "z", intent: RowIntent.add), to: forEach(\.named, use: Self.row)),
      ["missing: ElementIntent<String> of RowIntent"])
    expect(problems(RowIntent.add, to: withKey(\.detail, use: Self.add)), ["missing: RowIntent"])
    expect(problems(RowIntent.add, to: withKey(\.detail, use: Self.row)), ["missing: RowIntent"])
    for reducer in [
      withKey(\App.detail, id: 7, use: Self.add), withKey(\.detail, id: 7, use: Self.row),
    ] {
      expect(problems(Self.inRow(7), to: reducer), missing)
      expect(problems(Self.inRow(7), to: reducer, state: App(detail: Row(id: 7))), [])
    }
  }

  @Test("a nested element, missing itself or with the one around it")
  func nested() {
    let rows: Reducer<App> = forEach(\.rows, use: Self.row)
    for id in [1, 2] {
      expect(
        problems(Self.inRow(id, Self.inRow(9)), to: rows),
        ["missing: ElementIntent<Int> of ElementIntent<Int> of RowIntent"])
    }
  }

  @Test("not a type that the part's reducer doesn't take, whether the part is there or not")
  func types() {
    for id in [1, 2] {
      expect(
        problems(Self.inRow(id, Foreign()), to: forEach(\.rows, use: Self.add)),
        ["unknown: ElementIntent<Int> of Foreign"])
    }
    expect(problems(Foreign(), to: withKey(\.detail, use: Self.add)), ["unknown: Foreign"])
  }

  @Test("where a parent has removed it before its reducer came, although the parent follows it")
  func removedBefore() {
    let following: Reducer<App> = combineReducers {
      reduce { (app: inout App, intent: ElementIntent<Int>) in
        app.rows.removeAll { $0.id == intent.id }
        return []
      }
    }
    let before: Reducer<App> = combineReducers {
      following
      forEach(\.rows, use: Self.add)
    }
    let after: Reducer<App> = combineReducers {
      forEach(\.rows, use: Self.add)
      following
    }
    let missing = ["missing: ElementIntent<Int> of RowIntent"]
    expect(problems(Self.inRow(1, RowIntent.remove), to: before), missing)
    expect(problems(Self.inRow(1, RowIntent.remove), to: after), [])
  }

  @Test("not where another reducer takes it, nor one of elements' intents alone")
  func taken() {
    let both: Reducer<App> = combineReducers {
      withKey(\.detail, use: Self.add)
      withKey(\.rows[0], use: Self.add)
    }
    expect(problems(RowIntent.add, to: both), [])
    let following: Reducer<App> = reduce { (_: inout App, _: ElementIntent<Int>) in [] }
    expect(problems(Self.inRow(2), to: following), [])
    expect(problems(Self.inRow(2), to: { _, _ in [] }), [])
  }

  @Test("a reducer that follows elements takes only the types for which it asks")
  func followed() {
    let rows: Reducer<App> = combineReducers {
      forEach(\.rows, use: Self.add)
      reduce { (_: inout App, intent: ElementIntent<Int>) in
        if intent.intent(as: RowIntent.self) == .remove { return [] }
        return intent.intent(as: Outgoing.self) == nil ? [] : []
      }
    }
    let inRows = Self.inRow
    expect(problems(inRows(1, Outgoing()), inRows(1, RowIntent.add), to: rows), [])
    expect(problems(inRows(1, Foreign()), to: rows), ["unknown: ElementIntent<Int> of Foreign"])
    let twice: Reducer<App> = combineReducers {
      rows
      reduce { (_: inout App, _: ElementIntent<Int>) in [] }
    }
    expect(problems(inRows(1, Foreign()), to: twice), [])
    let own: Reducer<App> = { _, intent in
      _ = (intent as? ElementIntent<Int>)?.intent(as: RowIntent.self)
      return []
    }
    expect(problems(inRows(1, Foreign()), to: own), [])
  }

  @Test("not a late reply: of a handler of a part or of the whole, and of a Send")
  func late() {
    let rows: Reducer<App> = combineReducers {
      forEach(\.rows) { (_: inout Row, intent: RowIntent) in
        intent == .remove ? [Work(name: "part"), Send(RowIntent.add)] : []
      }
      reduce { (app: inout App, intent: ElementIntent<Int>) in
        if intent.intent(as: RowIntent.self) != .remove { return [] }
        app.rows = []
        return [QuickWork(name: "whole")]
      }
    }
    expect(
      problems(Self.inRow(1, RowIntent.remove), to: rows) { store in
        store.on(Work.self) { _, dispatch in dispatch(RowIntent.add) }
        store.on(QuickWork.self) { _, dispatch in dispatch(Self.inRow(1)) }
      }, [])
  }

  @Test("the message names what may have happened")
  func message() {
    let problems = Transcript<Problem>()
    let store = Store(
      state: App(), reducer: forEach(\.rows, use: Self.add), report: { problems.write($0) })
    store.dispatch(Self.inRow(2))
    let lines = problems.lines.map(\.description)
    #if DEBUG
      #expect(lines.count == 1 && lines[0].contains("removed") && lines[0].contains("case"))
    #else
      #expect(lines == [])
    #endif
  }

  @Test("several elements with one id are reported, too")
  func duplicates() {
    let twins = App(rows: [Row(id: 1), Row(id: 2), Row(id: 1)])
    let rows: Reducer<App> = forEach(\.rows, use: Self.add)
    expect(problems(Self.inRow(1), Self.inRow(1), to: rows, state: twins), ["duplicate: Row"])
    expect(problems(Self.inRow(2), to: rows, state: twins), [])
  }

  @Test("a reply that is addressed twice has a cure")
  func addressedTwice() {
    let problems = Transcript<Problem>()
    let rows: Reducer<App> = forEach(\.rows) { (row: inout Row, intent: RowIntent) in
      [QuickWork(name: "a")]
    }
    let store = Store(state: App(), reducer: rows, report: { problems.write($0) })
    store.on(QuickWork.self) { _, dispatch in dispatch(Self.inRow(1)) }
    store.dispatch(Self.inRow(1))
    let lines = problems.lines.map(\.description)
    #if DEBUG
      #expect(lines.count == 1 && lines[0].contains("addressed twice"))
    #else
      #expect(lines == [])
    #endif
  }

  @Test("a reply to the whole that no reducer of the part takes has a cure")
  func leaving() {
    let problems = Transcript<Problem>()
    let rows: Reducer<App> = combineReducers {
      forEach(\.rows) { (_: inout Row, _: RowIntent) in [QuickWork(name: "a")] }
      reduce { (_: inout App, _: Foreign) in [] }
    }
    let store = Store(state: App(), reducer: rows, report: { problems.write($0) })
    store.on(QuickWork.self) { _, dispatch in dispatch(Foreign()) }
    store.dispatch(Self.inRow(1))
    let lines = problems.lines.map(\.description)
    #if DEBUG
      #expect(lines.count == 1 && lines[0].contains("leavesParts = true"))
    #else
      #expect(lines == [])
    #endif
  }

  @Test(
    "a cancellation of what the same array emits before it is reported, and no other",
    arguments: [CancelEffects(part: "part"), CancelEffects(id: PartID("part", "id"))])
  func ownCancellation(cancellation: CancelEffects) async {
    let problems = Transcript<Problem>()
    let clock = TestClock()
    let store = Store(
      state: [], reducer: working, clock: clock, report: { problems.write($0) })
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    let work = Work(name: "a").scheduled(.latest, id: PartID("part", "id"))
    store.emit(work)
    store.emit(CancelEffects(part: "part"), work)
    store.emit(CancelEffects(id: PartID("part", "id")), work)
    #expect(problems.lines == [])
    store.emit(work, cancellation)
    #expect(problems.lines == [.cancellationOfOwnEffect(type: "Work")])
    await store.shutdown()
  }

  @Test("a cancellation during a shutdown, of what an earlier commit has emitted, is no problem")
  func cancellationDuringShutdown() async {
    let problems = Transcript<Problem>()
    let store = Store(state: [], reducer: working, report: { problems.write($0) })
    let (endless, continuation) = AsyncStream<Void>.makeStream()
    store.onWork { _, _ in for await _ in endless {} }  // until it is canceled
    store.emit(Work(name: "a").scheduled(.latest, id: "a"))
    let end = Task.immediate {
      await store.shutdown(finishing: .seconds(600), within: .seconds(600))
    }
    store.emit(CancelEffects(id: "a"))
    _ = await end.value
    continuation.finish()
    #expect(problems.lines == [])
  }
}
