import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

@Suite("J7: no commit is skipped", .unwatched)
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
    of: Tally.self,
    intents: [
      .named("tally", TallyIntent.self), .named("odd", Odd.self),
      .elements("row", id: Int.self),
    ])

  @Test(
    "an intent without a name, or in an element, is replaced by the state, and reported once",
    arguments: [
      (Unnamed(), "Unnamed"), (ElementIntent(id: 1, intent: Unnamed()), "Unnamed"),
      (ElementIntent(id: "1", intent: TallyIntent.add(1)), "ElementIntent<String>"),
    ] as [(any Intent, String)])
  func unnamed(intent: any Intent, type: String) throws {
    let files = MemoryFiles()
    let reports = Lines()
    let journal = try Journal(in: files, Self.format, reports: reports)
    let store = try Store(state: Tally(), reducer: Self.reducer, journal: journal)
    for intent in [TallyIntent.add(1), intent, intent, TallyIntent.add(2)] as [any Intent] {
      store.dispatch(intent)
    }
    #expect(reports.all.count == 1)
    #expect(reports.all.first?.contains("type \(type) have no name") == true)
    let again = try Journal(in: files.afterKill(), Self.format)
    let second = try Store(state: Tally(), reducer: Self.reducer, journal: again)
    #expect(second.state == store.state)
  }

  @Test("the newest state replaces an intent whose encoding throws, with any queue behind")
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

  @Test("a state queued before the newest one is left out if that was written first")
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

  private struct Mail: Effect, Codable {}
  private struct Beep: Effect {}
  private struct Flash: Effect {}

  @Test("an effect that must happen is left over from an intent whose encoding throws")
  func unencodableWithAnEffect() throws {
    let reducer: @Sendable (inout Tally, Odd) -> [any Effect] = { _, _ in [Mail()] }
    let format = JournalFormat(
      of: Tally.self, intents: [.named("odd", Odd.self)],
      effects: [.atLeastOnce("mail", Mail.self)])
    let (files, mails) = (MemoryFiles(), Shared(0))
    let first = try Store(
      state: Tally(), reducer: reducer, journal: Journal(in: files, format, reports: Lines()))
    first.dispatch(Odd())
    let second = try Store(
      state: Tally(), reducer: reducer, journal: Journal(in: files.afterKill(), format),
      handlers: { handlers in
        handlers.on(Mail.self) { _, _ in mails.change { $0 += 1 } }
      })
    #expect(mails.value == 1)
    withExtendedLifetime((first, second)) {}
  }

  @Test("an effect type without a name is reported once, unless that is meant")
  func unnamedEffects() throws {
    let reducer: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { _, intent in
      if case .note = intent { return [] }
      return [
        Mail(), Beep(), Beep().scheduled(.latest, id: 1), Flash().scheduled(.latest, id: 2),
        Send(TallyIntent.add(1)).scheduled(.delay(.seconds(1)), id: 3), CancelEffects(id: 2),
        Send(TallyIntent.note("")).scheduled(.latest, id: 4),
      ]
    }
    let delayed = RecordedEffect.sends("send", id: Int.self)
    let kept = RecordedEffect.atLeastOnce("mail", Mail.self)
    let expected: [([RecordedEffect], [String])] = [
      ([], []), ([kept], ["Beep", "Flash", "Send"]),
      ([kept, .atMostOnce(Beep.self), delayed], ["Flash"]),
      ([.named("mail", Mail.self), .atMostOnce(Send.self)], ["Beep", "Flash"]),
      ([.atMostOnce(Flash.self), .atMostOnce(Beep.self)], ["Mail", "Send"]),
    ]
    for (effects, types) in expected {
      let (files, reports) = (MemoryFiles(), Lines())
      let format = JournalFormat(
        of: Tally.self, intents: [.named("tally", TallyIntent.self)], effects: effects)
      let store = try Store(
        state: Tally(), reducer: reducer, clock: TestClock(),
        journal: Journal(in: files, format, reports: reports))
      for value in 1...2 { store.dispatch(TallyIntent.add(value)) }
      #expect(reports.all.count == types.count)
      for (report, type) in zip(reports.all, types) {
        #expect(report.contains("effects of type \(type) have no name"))
        #expect(report.contains(".atMostOnce(\(type).self)"))
      }
      let text = files.all.values.map { String(decoding: $0, as: UTF8.self) }.joined()
      #expect(text.contains("\"mail\"") == effects.contains { $0.name == "mail" })
      #expect(!text.contains("Beep") && !text.contains("Flash"))
    }
  }

  @Test("a type both named and declared at most once stops the program")
  func namedTwice() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = JournalFormat(
          of: Tally.self, intents: [],
          effects: [.atLeastOnce("mail", Mail.self), .atMostOnce(Mail.self)])
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("names one type twice"))
  }

  private struct Strange: Codable, Sendable {
    var number = Double.nan
    var isBad = false
    func encode(to encoder: any Encoder) throws {
      if isBad { throw CodingFailure("bad") }
      var container = encoder.singleValueContainer()
      try container.encode(number)
    }
    init(from decoder: any Decoder) throws {
      number = try decoder.singleValueContainer().decode(Double.self)
    }
    init() {}
  }

  @Test("numbers that JSON lacks are kept")
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

  @Test("opening refuses a first state that can't be kept, and makes nothing")
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
