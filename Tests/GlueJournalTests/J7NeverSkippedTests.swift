import Glue
import GlueTesting
import Testing

@testable import GlueJournal

@Suite("J7: no commit is skipped")
struct J7NeverSkippedTests {
  private struct Unnamed: Intent {}

  private struct Odd: Intent, Codable {
    func encode(to encoder: any Encoder) throws {
      throw EncodingError.invalidValue(
        self, EncodingError.Context(codingPath: [], debugDescription: "it is odd"))
    }
  }

  @Sendable private static func reducer(state: inout Tally, intent: any Intent) -> [any Effect] {
    if let intent = intent as? TallyIntent { return tally(state: &state, intent: intent) }
    state.add(-1)
    return []
  }

  private static let format = JournalFormat(
    of: Tally.self, intents: [.named("tally", TallyIntent.self), .named("odd", Odd.self)])

  @Test("an intent without a name is replaced by the state, and told of once")
  func unnamed() throws {
    let files = MemoryFiles()
    let reports = Lines()
    let journal = try Journal(in: files, Self.format, reports: reports)
    let store = try Store(state: Tally(), reducer: Self.reducer, journal: journal)
    for intent in [TallyIntent.add(1), Unnamed(), Unnamed(), TallyIntent.add(2)] as [any Intent] {
      store.dispatch(intent)
    }
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("type Unnamed have no name") == true)
    let again = try Journal(in: files.afterKill(), Self.format)
    let second = try Store(state: Tally(), reducer: Self.reducer, journal: again)
    #expect(second.state == store.state)
  }

  @Test("one whose encoding throws is replaced by the newest state, whatever was queued behind")
  func unencodable() throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let reports = Lines()
    let journal = try Journal(in: files, Self.format, reports: reports)
    let store = try Store(
      state: Tally(), reducer: Self.reducer,
      delivery: .custom { body in bodies.change { $0.append(body) } }, journal: journal)
    let intents: [any Intent] = [TallyIntent.add(1), Odd(), TallyIntent.add(2), Odd()]
    for intent in intents { store.dispatch(intent) }
    bodies.value[0]()
    store.dispatch(TallyIntent.add(3))
    bodies.value[1]()
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("type Odd does not encode") == true)
    let again = try Journal(in: files.afterKill(), Self.format)
    let second = try Store(state: Tally(), reducer: Self.reducer, journal: again)
    #expect(second.state == store.state)
    #expect(second.state.count == 5)
  }

  @Test("a state that was queued before the newest one, which was written instead, is left out")
  func stateBehindTheNewest() async throws {
    let files = MemoryFiles()
    let bodies = Shared<[@Sendable () -> Void]>([])
    let journal = try Journal(in: files, Self.format)
    let store = try Store(
      state: Tally(), reducer: Self.reducer,
      delivery: .custom { body in bodies.change { $0.append(body) } }, journal: journal)
    store.dispatch(Odd())
    await store.shutdown()
    store.dispatch(TallyIntent.add(2))
    for body in bodies.value { body() }
    let again = try Journal(in: files.afterKill(), Self.format)
    let second = try Store(state: Tally(), reducer: Self.reducer, journal: again)
    #expect(second.state == store.state && store.state.count == 2)
  }

  private struct Strange: Codable, Sendable {
    var number = Double.nan
    var isBad = false
    func encode(to encoder: any Encoder) throws {
      if isBad { throw Unreadable("bad") }
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Double.self)
    }
    init() {}
  }

  @Test("numbers that JSON does not have are kept")
  func numbers() throws {
    for number in [Double.nan, .infinity, -.infinity, 0.1, -0.0, .leastNonzeroMagnitude] {
      let files = MemoryFiles()
      var state = Strange()
      state.number = number
      let format = JournalFormat(of: Strange.self, intents: [])
      let reducer: Reducer<Strange> = { _, _ in [] }
      _ = try Store(state: state, reducer: reducer, journal: Journal(in: files, format))
      let again = try Store(state: Strange(), reducer: reducer, journal: Journal(in: files, format))
      #expect(again.state.number.bitPattern == number.bitPattern)
    }
  }

  @Test("a first state that cannot be kept is refused, and nothing is made")
  func firstState() throws {
    let files = MemoryFiles()
    var state = Strange()
    state.isBad = true
    let format = JournalFormat(of: Strange.self, intents: [])
    let journal = try Journal(in: files, format)
    #expect(throws: JournalError.self) {
      try Store(
        state: state, reducer: { (_: inout Strange, _: any Intent) in [] }, journal: journal)
    }
    #expect(files.all.keys.sorted() == ["/j/lock"])
  }
}
