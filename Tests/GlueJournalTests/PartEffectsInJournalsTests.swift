import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

private struct Mail: Effect, Codable, Equatable { var text: String }
private enum RowIntent: Intent, Codable { case send, later, cancel, sent }
private enum ListIntent: Intent, Codable { case remove(Int), forget(Int) }

private struct Row: Codable, Equatable, Sendable, Identifiable {
  let id: Int
  var sent = 0
  var rows: [Row] = []
}

private struct List: Codable, Equatable, Sendable {
  var rows = [Row(id: 1), Row(id: 2, rows: [Row(id: 3)])]
}

@Sendable private func own(row: inout Row, intent: RowIntent) -> [any Effect] {
  switch intent {
  case .send: return [Mail(text: "now")]
  case .later: return [Mail(text: "later").scheduled(.delay(.seconds(100)), id: "m")]
  case .cancel: return [CancelEffects(id: "m")]
  case .sent: row.sent += 1
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

private let lists: Reducer<List> = combineReducers {
  forEach(\.rows, use: row)
  reduce { (list: inout List, intent: ListIntent) in
    switch intent {
    case .remove(let id):
      list.rows.removeAll { $0.id == id }
      return [CancelEffects(part: id)]
    case .forget(let id):
      list.rows.removeAll { $0.id == id }
      return []
    }
  }
}

private let format = JournalFormat(
  of: List.self,
  intents: [
    .named("row", RowIntent.self), .named("list", ListIntent.self), .elements("in", id: Int.self),
  ], effects: [.atLeastOnce("mail", Mail.self)])

private func inRow(_ intent: RowIntent) -> ElementIntent<Int> {
  ElementIntent(id: 2, intent: ElementIntent(id: 3, intent: intent))
}

@Suite("Leftover effects of parts in journals", .unwatched)
struct PartEffectsInJournalsTests {
  private func store(
    _ files: MemoryFiles, clock: any Clock<Duration> = TestClock(), handles: Bool = true
  ) throws -> Store<List> {
    try Store(
      state: List(), reducer: lists, clock: clock, journal: Journal(in: files, format),
      handlers: { handlers in
        if handles { handlers.on(Mail.self) { _, dispatch in dispatch(RowIntent.sent) } }
      })
  }

  @Test("reply to their nested row after a kill")
  func replies() async throws {
    let files = MemoryFiles()
    let first = try store(files, handles: false)
    first.dispatch(inRow(.send))
    first.dispatch(inRow(.later))
    let clock = TestClock()
    let second = try store(files.afterKill(), clock: clock)
    #expect(second.state.rows[1].rows[0].sent == 1)
    await clock.advance(by: .seconds(100))
    #expect(second.state.rows[1].rows[0].sent == 2)
    withExtendedLifetime((first, second)) {}
  }

  @Test("are canceled by the row, and by what removes the row, for good")
  func cancels() async throws {
    for intent in [inRow(.cancel), ListIntent.remove(2)] as [any Intent] {
      let files = MemoryFiles()
      let first = try store(files)
      first.dispatch(inRow(.later))
      let left = files.afterKill()
      let clock = TestClock()
      let second = try store(left, clock: clock)
      second.dispatch(intent)
      await clock.advance(by: .seconds(1000))
      #expect(second.state.rows.last?.rows.first?.sent ?? 0 == 0)
      let third = try store(left.afterKill(), clock: clock)
      await clock.advance(by: .seconds(1000))
      #expect(third.state.rows.last?.rows.first?.sent ?? 0 == 0)
      withExtendedLifetime((first, second, third)) {}
    }
  }

  @Test(
    "are canceled without a schedule, too, where no handler has come, or if the program asks",
    arguments: [false, true])
  func cancelsUnscheduled(asks: Bool) async throws {
    let files = MemoryFiles()
    let first = try store(files, handles: false)
    first.dispatch(inRow(.send))
    if asks { first.dispatch(ListIntent.forget(2)) }
    let left = files.afterKill()
    let second = try store(left, handles: false)
    if asks {
      second.endEffects(with: .each(\.rows, .each(\.rows)))
    } else {
      second.dispatch(ListIntent.remove(2))
    }
    second.on(Mail.self) { _, _ in Issue.record("The effect of a removed row was done.") }
    let third = try store(left.afterKill(), handles: false)
    third.on(Mail.self) { _, _ in Issue.record("The effect of a removed row is left over.") }
    withExtendedLifetime((first, second, third)) {}
  }

  @Test("are recorded with their own ids, and the way to their row")
  func lines() throws {
    let effects: [(any Effect, String)] = [
      (
        Mail(text: "a").scheduled(.latest, id: "m").inside(2, 3),
        #"[7,0,9,"mail",{"text":"a"},"latest",0,"m",["in",{"id":2,"intent":["in",{"id":3,"intent":[]}]}]]"#
      ),
      (
        Mail(text: "b").inside(1),
        #"[7,0,9,"mail",{"text":"b"},["in",{"id":1,"intent":[]}]]"#
      ),
      (Mail(text: "c"), #"[7,0,9,"mail",{"text":"c"}]"#),
      (
        Mail(text: "d").scheduled(.debounce(.milliseconds(500)), id: "m"),
        #"[7,0,9,"mail",{"text":"d"},"debounce",0.5,"m"]"#
      ),
    ]
    for (effect, text) in effects {
      var line = LineBuffer()
      let kept = KeptEffect(key: EffectKey(commit: 7, index: 0), time: 9, effect: effect)
      try format.coding.write(kept, to: &line)
      #expect(String(decoding: line.bytes, as: UTF8.self) == text)
      let read = try format.coding.effect(from: JSON(line.bytes[...])).effect
      #expect([read] as [any Effect] == [effect])
    }
  }

  @Test("keep the way to their row in a redacted export")
  func redacted() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, format)
    let store = try Store(state: List(), reducer: lists, journal: journal)
    store.dispatch(inRow(.send))
    store.dispatch(inRow(.later))
    try journal.export(
      to: "/bug", redact: JournalRedaction<List>(effect: { _ in Mail(text: "hidden") }))
    let text = String(decoding: try #require(files.all["/bug"]), as: UTF8.self)
    #expect(text.ranges(of: #""mail",{"text":"hidden"}"#).count == 2)
    #expect(text.ranges(of: #"["in",{"id":2,"intent":["in",{"id":3,"intent":[]}]}]"#).count == 2)
    withExtendedLifetime(store) {}
  }

  @Test("are recorded for a cluster in the same way")
  func owed() throws {
    let owed = Mail(text: "c").inside(2, 3)
    #expect(format.names(owed))
    let line = try format.line(of: owed)
    #expect(
      String(decoding: line, as: UTF8.self)
        == #"["mail",{"text":"c"},["in",{"id":2,"intent":["in",{"id":3,"intent":[]}]}]]"#)
    #expect([try format.effect(from: line[...])] as [any Effect] == [owed])
  }
}
