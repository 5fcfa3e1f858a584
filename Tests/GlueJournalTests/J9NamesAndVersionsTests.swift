import Glue
import GlueSimulation
import GlueTesting
import Testing

@testable import GlueJournal

@Suite("J9: names are the user's, and a record that does not decode is never skipped")
struct J9NamesAndVersionsTests {
  /// The files of a process killed after two commits.
  private static func left() throws -> MemoryFiles {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.add(1))
    store.dispatch(TallyIntent.note("two"))
    return withExtendedLifetime(store) { files.afterKill() }
  }

  private enum RenamedIntent: Intent, Codable { case add(Int), note(String) }

  @Sendable private static func renamed(
    state: inout Tally, intent: RenamedIntent
  ) -> [any Effect] {
    switch intent {
    case .add(let value): tally(state: &state, intent: .add(value))
    case .note(let note): tally(state: &state, intent: .note(note))
    }
  }

  @Test("a type may be renamed and moved")
  func renaming() throws {
    let format = JournalFormat(of: Tally.self, intents: [.named("tally", RenamedIntent.self)])
    let journal = try Journal(in: Self.left(), format)
    let store = try Store(state: Tally(), reducer: Self.renamed, journal: journal)
    #expect(store.state.count == 1 && store.state.note == "two")
  }

  @Test("a name may be any text")
  func anyName() throws {
    let format = JournalFormat(
      of: Tally.self, intents: [.named("a \"quoted\"\n\u{1F}\\ näme", TallyIntent.self)])
    let files = MemoryFiles()
    let journal = try Journal(in: files, format)
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.add(1))
    let left = withExtendedLifetime(store) { files.afterKill() }
    let again = try Journal(in: left, format)
    #expect(try Store(state: Tally(), reducer: tally, journal: again).state == .after(1))
  }

  @Test("an error gives an unknown name with its commit, and changes nothing")
  func unknownName() throws {
    let files = try Self.left()
    let before = files.all
    let error = #expect(throws: JournalError.self) {
      try Journal(in: files, JournalFormat(of: Tally.self, intents: []))
    }
    #expect(error?.description.contains("commit 1") == true)
    #expect(
      error?.reason == "commit 1: no intent is named \"tally\" in this format; "
        + "a newer program may have written it: start that one")
    #expect(files.all.filter { $0.key != "/j/lock" } == before.filter { $0.key != "/j/lock" })
  }

  private struct Wrong: Intent, Codable { let add: String }

  @Test("an error names an intent that no longer decodes, with its coding path")
  func undecodable() throws {
    let format = JournalFormat(of: Tally.self, intents: [.named("tally", Wrong.self)])
    let error = #expect(throws: JournalError.self) { try Journal(in: Self.left(), format) }
    #expect(error?.description.contains("commit 1: intent \"tally\"") == true)
    #expect(error?.description.contains("(at add)") == true)
  }

  private struct Chapter: Codable { var steps: [String: [Step]] }
  private struct OldChapter: Codable { var steps: [String: [OldStep]] }
  private enum Step: Codable { case wait, watch(seconds: Int) }
  private enum OldStep: Codable { case wait }
  private enum NewIntent: Intent, Codable { case add(Int), watch, run(Chapter) }
  private enum OldIntent: Intent, Codable { case add(Int), run(OldChapter) }

  @Test("an error names a newer program's case, with its coding path, and says what to start")
  func newerCase() throws {
    let cure = "; a newer program may have written it: start that one"
    for (intent, reason) in [
      (NewIntent.watch, "OldIntent has no case \"watch\"\(cure)"),
      (
        .run(Chapter(steps: ["secret": [.wait, .watch(seconds: 3)]])),
        "OldStep has no case \"watch\"\(cure) (at run._0.steps.*.1)"
      ),
    ] {
      let files = MemoryFiles()
      let reducer: Reducer<Tally> = { _, _ in [] }
      let journal = try Journal(
        in: files, JournalFormat(of: Tally.self, intents: [.named("tally", NewIntent.self)]))
      let store = try Store(state: Tally(), reducer: reducer, journal: journal)
      store.dispatch(intent)
      let left = withExtendedLifetime(store) { files.afterKill() }
      let error = #expect(throws: JournalError.self) {
        try Journal(
          in: left, JournalFormat(of: Tally.self, intents: [.named("tally", OldIntent.self)]))
      }
      #expect(error?.reason == "commit 1: intent \"tally\": \(reason)")
    }
  }

  private enum Suit: String, Codable { case hearts }
  private enum Card: Intent, Codable { case note(Suit) }

  @Test("no error shows a value that does not decode")
  func noValues() throws {
    let files = MemoryFiles()
    let store = try Store(
      state: Tally(), reducer: tally, journal: Journal(in: files, tallyFormat, snapshots: .every(1))
    )
    store.dispatch(TallyIntent.note("secret"))
    let refusing = RecordedIntent.formerly("tally", TallyIntent.self) { intent -> TallyIntent in
      throw Refused(intent: intent)
    }
    for intent in [.named("tally", Card.self), refusing] {
      let format = JournalFormat(of: Tally.self, intents: [intent])
      let error = #expect(throws: JournalError.self) { try Journal(in: files.afterKill(), format) }
      #expect(error?.reason.contains("commit 1: intent \"tally\": ") == true)
      #expect(error?.reason.contains("secret") == false)
    }
    let format = JournalFormat(of: Noted.self, intents: [.named("tally", TallyIntent.self)])
    let error = #expect(throws: JournalError.self) { try Journal(in: files.afterKill(), format) }
    #expect(error?.reason.contains("its coding throws DecodingError (at note)") == true)
    #expect(error?.reason.contains("secret") == false)
    withExtendedLifetime(store) {}
  }

  private struct Refused: Error { let intent: TallyIntent }
  private struct Noted: Codable, Sendable { let note: Suit }
  private struct Page<Cell: Codable & Sendable>: Codable, Sendable {
    var rows: [[String: Cell]]
  }

  @Test("no coding path shows a dictionary's key, which is a value")
  func noKeys() throws {
    let files = MemoryFiles()
    let reducer: Reducer<Page<String>> = { _, _ in [] }
    _ = try Store(
      state: Page(rows: [["secret": ""]]), reducer: reducer,
      journal: Journal(in: files, JournalFormat(of: Page<String>.self, intents: [])))
    let error = #expect(throws: JournalError.self) {
      try Journal(in: files, JournalFormat(of: Page<Int>.self, intents: []))
    }
    #expect(error?.reason.contains("Int was expected (at rows.0.*)") == true)
    #expect(error?.reason.contains("secret") == false)
  }

  @Test("a retired intent is read as its current form")
  func formerly() throws {
    let format = JournalFormat(
      of: Tally.self,
      intents: [
        .named("count", TallyIntent.self),
        .formerly("tally", RenamedIntent.self) { old -> TallyIntent in
          switch old {
          case .add(let value): .add(value)
          case .note(let note): .note(note + "!")
          }
        },
      ])
    let files = try Self.left()
    do {
      let store = try Store(state: Tally(), reducer: tally, journal: Journal(in: files, format))
      #expect(store.state.count == 1 && store.state.note == "two!")
      store.dispatch(TallyIntent.add(2))
    }
    let format2 = JournalFormat(of: Tally.self, intents: [.named("count", TallyIntent.self)])
    let store = try Store(state: Tally(), reducer: tally, journal: Journal(in: files, format2))
    #expect(store.state.count == 2)
  }

  private struct Wide: Codable, Sendable, Equatable {
    var counts: [Int]
    var note: String
  }

  @Sendable private static func wide(state: inout Wide, intent: TallyIntent) -> [any Effect] {
    switch intent {
    case .add(let value): state.counts.append(value)
    case .note(let note): state.note = note
    }
    return []
  }

  private static func wideFormat(_ version: Int) -> JournalFormat<Wide> {
    JournalFormat(
      of: Wide.self, version: version, intents: [.named("tally", TallyIntent.self)],
      migrate: [.from(1, Tally.self) { Wide(counts: [$0.count], note: $0.note) }])
  }

  @Test("a state of an older version is migrated, once")
  func migration() throws {
    let files = MemoryFiles()
    do {
      let journal = try Journal(in: files, tallyFormat)
      let store = try Store(state: Tally(), reducer: tally, journal: journal)
      store.dispatch(TallyIntent.note("old"))
      store.dispatch(TallyIntent.add(1))
    }
    for session in 0..<3 {
      // The second process is killed, the first and the third end well.
      let left = session == 1 ? files.afterKill() : files
      let journal = try Journal(in: left, Self.wideFormat(2))
      let store = try Store(
        state: Wide(counts: [], note: ""), reducer: Self.wide, journal: journal)
      #expect(store.state == Wide(counts: session == 0 ? [1] : [1, 7], note: "old"))
      if session == 0 { store.dispatch(TallyIntent.add(7)) }
    }
  }

  @Test("after a crash old and new commits follow the migrated state")
  func migrationAfterCrash() throws {
    let files = try Self.left()
    let journal = try Journal(in: files, Self.wideFormat(2), snapshots: .every(1))
    let store = try Store(state: Wide(counts: [], note: ""), reducer: Self.wide, journal: journal)
    #expect(store.state == Wide(counts: [0, 1], note: "two"))
    store.dispatch(TallyIntent.add(2))
    let again = try Journal(in: files.afterKill(), Self.wideFormat(2))
    let second = try Store(state: Wide(counts: [], note: ""), reducer: Self.wide, journal: again)
    #expect(second.state == store.state)
  }

  @Test("a crash at any moment of a migration loses nothing", arguments: 0..<20)
  func crashesOfMigrations(seed: Int) throws {
    for isEnded in [false, true] {
      let files = try Self.left()
      if isEnded { _ = try recovered(files) }
      let random = Shared(Xorshift(seed: UInt64(seed)))
      let crashes = Shared<[MemoryFiles]>([])
      files.watch { _, _ in
        random.change { random in
          let isKill = Bool.random(using: &random)
          let left = isKill ? files.afterKill() : files.afterPowerFailure(&random)
          crashes.change { $0.append(left) }
        }
        return nil
      }
      let first = Wide(counts: [], note: "")
      _ = try Store(
        state: first, reducer: Self.wide, journal: Journal(in: files, Self.wideFormat(2)))
      #expect(crashes.value.count > 10)
      for files in crashes.value {
        let journal = try Journal(in: files, Self.wideFormat(2))
        let store = try Store(state: first, reducer: Self.wide, journal: journal)
        #expect(store.state.note == "two")
        #expect(store.state.counts == (isEnded ? [1] : [0, 1]))
      }
    }
  }

  @Test("opening refuses a newer version, and an older one without a migration")
  func versions() throws {
    let files = MemoryFiles()
    let state = Wide(counts: [], note: "")
    _ = try Store(
      state: state, reducer: Self.wide, journal: Journal(in: files, Self.wideFormat(3)))
    let newer = #expect(throws: JournalError.self) { try Journal(in: files, Self.wideFormat(2)) }
    #expect(newer?.description.contains("version 3") == true)
    let older = #expect(throws: JournalError.self) { try Journal(in: files, Self.wideFormat(4)) }
    #expect(older?.description.contains("migrate:") == true)
  }

  @Test("elements' intents are recorded with their inner intents, at any depth")
  func elements() throws {
    typealias Element = ElementIntent<Int>
    let format = JournalFormat(
      of: [Int].self,
      intents: [
        .named("tally", TallyIntent.self), .elements("element", id: Int.self),
        .elements("row", id: String.self),
      ])
    let reducer: Reducer<[Int]> = { state, intent in
      guard let row = intent as? ElementIntent<String>, let element = row.intent as? Element,
        case .add(let value)? = element.intent as? TallyIntent
      else { return [] }
      state += [row.id.count, element.id, value]
      return []
    }
    let files = MemoryFiles()
    let journal = try Journal(in: files, format)
    let store = try Store(state: [], reducer: reducer, journal: journal)
    store.dispatch(
      ElementIntent(id: "r\"\\\n", intent: Element(id: 7, intent: TallyIntent.add(9))))
    let again = try Store(
      state: [], reducer: reducer, journal: Journal(in: files.afterKill(), format))
    #expect(again.state == [4, 7, 9])
    #expect(store.state == again.state)
  }

  @Test("a reducer that gives another state is reported, and the recorded state wins")
  func otherReducer() throws {
    let files = MemoryFiles()
    let journal = try Journal(in: files, tallyFormat, snapshots: .every(1))
    let store = try Store(state: Tally(), reducer: tally, journal: journal)
    store.dispatch(TallyIntent.note("a"))
    let reports = Lines()
    let other: @Sendable (inout Tally, TallyIntent) -> [any Effect] = { state, _ in
      state.note = "b"
      return []
    }
    let again = try Store(
      state: Tally(), reducer: other,
      journal: Journal(in: files.afterKill(), tallyFormat, reports: reports))
    #expect(again.state.note == "a")
    #expect(reports.all.count == 1 && reports.all[0].contains("commit 1"))
    #expect(reports.all[0].hasSuffix(". the state differs in note"))
    withExtendedLifetime(store) {}
  }

  private struct Charge: Effect, Codable, Equatable { var amount: Int }

  private static let chargeFormat = JournalFormat(
    of: Tally.self, intents: [.named("tally", TallyIntent.self)],
    effects: [.atLeastOnce("charge", Charge.self)])

  /// The files of a process killed with two charges that no handler had handled.
  private static func charges() throws -> MemoryFiles {
    let files = MemoryFiles()
    let store = try Store(
      state: Tally(), reducer: charging { [Charge(amount: 30)] },
      journal: Journal(in: files, chargeFormat))
    for value in 1...2 { store.dispatch(TallyIntent.add(value)) }
    return withExtendedLifetime(store) { files.afterKill() }
  }

  private static func charging(
    _ effects: @escaping @Sendable () -> [any Effect]
  ) -> @Sendable (inout Tally, TallyIntent) -> [any Effect] {
    { state, intent in
      _ = tally(state: &state, intent: intent)
      return effects()
    }
  }

  @Test("other must-happen effects are reported at the first commit; the recorded ones happen")
  func otherEffects() throws {
    let (reports, charged) = (Lines(), Lines())
    let store = try Store(
      state: Tally(), reducer: Self.charging { [Charge(amount: 37)] },
      journal: Journal(in: Self.charges(), Self.chargeFormat, reports: reports))
    store.on(Charge.self) { charge, _ in charged.append("\(charge.amount)") }
    #expect(charged.all == ["30", "30"])
    #expect(
      reports.all == [
        "/j: commit 1: the reducer's result differs from the recording; the last commit that "
          + "agreed is 0. effects that must happen differ: charge"
      ])
  }

  private final class Box: Codable, Sendable {
    let size: Int
    init(size: Int) { self.size = size }
  }

  private struct Parcel: Effect, Codable {
    enum CodingKeys: CodingKey { case box }
    var box = Box(size: 3)
    var retries = 0
  }

  private struct Labels: Effect, Codable, Equatable {
    enum CodingKeys: CodingKey { case all, weight }
    var all: Set<Int>
    var weight = Double.nan
    var retries = 0
  }

  @Test("effects that differ in nothing recorded are not reported")
  func sameEffects() throws {
    let format = JournalFormat(
      of: Tally.self, intents: [.named("tally", TallyIntent.self)],
      effects: [.atLeastOnce("parcel", Parcel.self), .atLeastOnce("labels", Labels.self)])
    // Equal sets of unequal capacities have their elements in unequal orders.
    let capacity = Shared(20)
    let reducer = Self.charging {
      capacity.change { $0 = $0 % 2000 + 97 }
      var labels = Set<Int>(minimumCapacity: capacity.value)
      labels.formUnion(0..<20)
      return [
        Parcel(retries: 3).scheduled(.delay(.milliseconds(2345)), id: "a"),
        Labels(all: labels, retries: 3),
        Labels(all: labels).scheduled(.throttle(.seconds(1)), id: "b"),
      ]
    }
    let files = MemoryFiles()
    let store = try Store(state: Tally(), reducer: reducer, journal: Journal(in: files, format))
    for value in 1...20 { store.dispatch(TallyIntent.add(value)) }
    let reports = Lines()
    _ = try Store(
      state: Tally(), reducer: reducer,
      journal: Journal(in: files.afterKill(), format, reports: reports))
    #expect(reports.all == [])
    withExtendedLifetime(store) {}
  }

  private struct Payment: Effect, Codable, Equatable { var cents: Int }

  @Test("a former effect whose current type has no name stops the program")
  func unnamedFormerEffect() async throws {
    let result = try #require(
      await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        _ = JournalFormat(
          of: Tally.self, intents: [],
          effects: [
            .atLeastOnce("payment", Payment.self),
            .formerly("charge", Charge.self, id: Int.self) { Payment(cents: $0.amount) },
          ])
      })
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("former effects \"charge\""))
  }

  @Test("an export right after a migration can be read")
  func exportAfterMigration() throws {
    let files = try Self.left()
    let journal = try Journal(in: files, Self.wideFormat(2))
    let store = try Store(
      state: Wide(counts: [], note: ""), reducer: Self.wide, journal: journal)
    try journal.export(to: "/bug")
    let recording = try Recording(at: "/bug", files, Self.wideFormat(2))
    #expect(try recording.verify(reducer: erased(Self.wide)) == nil)
    withExtendedLifetime(store) {}
  }

  @Test("a retired effect happens in its current form, also if it is left once more")
  func formerEffect() throws {
    let format = JournalFormat(
      of: Tally.self, version: 2, intents: [.named("tally", TallyIntent.self)],
      effects: [
        .atLeastOnce("payment", Payment.self),
        .formerly("charge", Charge.self) { Payment(cents: $0.amount * 100) },
      ], migrate: [.from(1, Tally.self) { $0 }])
    var files = try Self.charges()
    for _ in 0..<2 {
      let (reports, paid) = (Lines(), Lines())
      let journal = try Journal(in: files, format, reports: reports)
      let store = try Store(
        state: Tally(), reducer: Self.charging { [Payment(cents: 3000)] }, journal: journal)
      files = files.afterKill()
      store.on(Payment.self) { payment, _ in paid.append("\(payment.cents)") }
      #expect(paid.all == ["3000", "3000"] && reports.all == [])
    }
  }
}
