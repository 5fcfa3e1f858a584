import Glue
import GlueSimulation
import Testing

@testable import GlueJournal

@Suite("J9: a recorded value that the state's type does not read is named at every depth")
struct J9NestedPropertiesTests {
  enum End: CaseIterable { case orderly, kill }

  /// A change of a state's type, as the old program's state and the new program's.
  struct Change: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// A part of the message.
    let text: String

    /// Lets the old program record its state, and end.
    let left: @Sendable (End) async throws -> MemoryFiles

    /// Lets the new program open the journal, add commits and end well.
    let open: @Sendable (MemoryFiles, OnDivergence, _ commits: Int) async throws -> [String]

    fileprivate init<Old: Codable & Sendable, New: Codable & Sendable>(
      _ name: String, _ old: Old, _: New.Type, _ text: String, version: Int = 1,
      migrate: [Migration<New>] = [], formerProperties: [String] = []
    ) {
      testDescription = name
      self.text = text
      left = { end in
        let files = MemoryFiles()
        let format = JournalFormat(of: Old.self, intents: [.named("tally", TallyIntent.self)])
        let store = try Store(
          state: old, reducer: { _, _ in [] }, journal: Journal(in: files, format))
        store.dispatch(TallyIntent.add(1))
        if end == .orderly { await store.shutdown() }
        return withExtendedLifetime(store) { files.afterKill() }
      }
      open = { files, onDivergence, commits in
        let lines = Lines()
        let format = JournalFormat(
          of: New.self, version: version, intents: [.named("tally", TallyIntent.self)],
          migrate: migrate, formerProperties: formerProperties)
        let journal = try Journal(
          in: files, format, keeping: 1, onDivergence: onDivergence, reports: lines)
        // There is a recorded state, so this one must not be asked for.
        let data = try #require(journal.core.phase.withLock { $0.found }).recorded.state
        let store = try Store(
          state: typed(data) as New, reducer: { _, _ in [] }, journal: journal)
        for value in 0..<commits { store.dispatch(TallyIntent.add(value)) }
        await store.shutdown()
        return lines.all
      }
    }

    fileprivate static func lost<Old: Codable & Sendable, New: Codable & Sendable>(
      _ name: String, _ old: Old, _ new: New.Type, _ path: String
    ) -> Change { Change(name, old, new, "the recorded state has \"\(path)\", which") }

    fileprivate static func changed<Old: Codable & Sendable, New: Codable & Sendable>(
      _ name: String, _ old: Old, _ new: New.Type, in path: String
    ) -> Change {
      Change(name, old, new, " has changed\(path), but the format's version is the same")
    }
  }

  static let changes: [Change] = [
    .lost("a nested struct", Of(Room()), Of<Less>.self, "it.topic"),
    .lost("the elements of an array", Of([Room()]), Of<[Less]>.self, "it[].topic"),
    .lost("the values of a dictionary", Of(["a": Room()]), Of<[String: Less]>.self, "it.*.topic"),
    .lost(
      "the pairs of a dictionary with other keys", Of([Key(id: 1): Room()]),
      Of<[Key: Less]>.self, "it[].topic"),
    .lost("an optional struct", Of(Optional(Room())), Of<Less?>.self, "it.topic"),
    .lost("an array of optionals", Of([nil, Room()]), Of<[Less?]>.self, "it[].topic"),
    .lost("the elements of a set", Of(Set([Room()])), Of<Set<Less>>.self, "it[].topic"),
    .lost(
      "the value of an enum's case", Of(Step.open(room: Room())), Of<LessStep>.self,
      "it.open.room.topic"),
    .lost("a renamed nested optional", Of(Room()), Of<Renamed>.self, "it.topic"),
    .lost("a renamed value of a case", Of(Step.close("x")), Of<RenamedStep>.self, "it.close._0"),
    .lost("a state with a history", past(of: Room()), History<Less>.self, "past[].topic"),
    .lost("a state that is an enum", Step.open(room: Room()), LessStep.self, "open.room.topic"),
    .lost("a state that is an array", [Room()], [Less].self, "[].topic"),
    .lost("a state that is a dictionary", ["a": Room()], [String: Less].self, "*.topic"),
    .lost(
      "many levels", Of(["a": [Step.open(room: Room()), .close(nil)]]),
      Of<[String: [LessStep]]>.self, "it.*[].open.room.topic"),
    .lost("a struct that became another", Of(Room()), Of<Topic>.self, "it.name"),
    .lost("elements that are skipped", Of([1, 2]), Of<None>.self, "it[]"),
    .lost("a struct that became nothing", Of(Room()), Of<Nothing>.self, "it"),
    .changed(
      "an array that became a set", Of(["b", "a", "b"]), Of<Set<String>>.self, in: " in \"it\""),
    .changed("a state of an array that became a set", ["b", "a", "b"], Set<String>.self, in: ""),
    .changed("an integer that became a real number", Of(1), Of<Double>.self, in: " in \"it\""),
    .changed("an element that is skipped", Of([1, 2]), Of<Odd>.self, in: " in \"it\""),
    .changed("a new value by default", Of(Less()), Of<Default>.self, in: " in \"it\""),
  ]

  @Test("refusing throws, and changes nothing", arguments: changes, End.allCases)
  func refused(_ change: Change, _ end: End) async throws {
    let files = try await change.left(end)
    let before = files.all.filter { $0.key != "/j/lock" }
    let error = await #expect(throws: JournalError.self) {
      try await change.open(files, .refuse, 0)
    }
    #expect(error?.reason.contains(change.text) == true, "\(error?.reason ?? "")")
    #expect(files.all.filter { $0.key != "/j/lock" } == before)
  }

  @Test("reporting keeps copies, which three ends leave", arguments: changes, End.allCases)
  func kept(_ change: Change, _ end: End) async throws {
    let files = try await change.left(end)
    let before = files.all.filter { $0.key.hasSuffix(".state") }
    let reports = try await change.open(files, .report, 1)
    #expect(reports.first?.contains(change.text) == true && reports.count == 1, "\(reports)")
    for _ in 1...2 { #expect(try await change.open(files, .report, 1) == []) }
    let newest = try #require(before.keys.max())
    #expect(files.all[newest] == nil)
    #expect(files.all[newest + ".kept"] == before[newest])
  }

  static let legitimate: [Change] = [
    Change("nothing", Of(Room()), Of<Room>.self, ""),
    Change("a new nested optional", Of([Less()]), Of<[Room.Extended]>.self, ""),
    Change("a removed optional that was nil", Of([Room(topic: nil)]), Of<[Less]>.self, ""),
    Change("a new case", Of([Step.close("x")]), Of<[Step.Extended]>.self, ""),
    Change("a set in another order", Of(Set(0..<100)), Of<Set<Int>>.self, ""),
    Change(
      "a migration", Of([Room()]), Of<[Less]>.self, "", version: 2,
      migrate: [.from(1, Of<[Less]>.self) { $0 }]),
    Change(
      "a declared property", Of([Room()]), Of<[Less]>.self, "", formerProperties: ["it[].topic"]),
  ]

  @Test("what loses nothing is silent", arguments: legitimate, End.allCases)
  func silent(_ change: Change, _ end: End) async throws {
    let files = try await change.left(end)
    for _ in 1...3 { #expect(try await change.open(files, .refuse, 1) == []) }
    #expect(!files.all.keys.contains { $0.hasSuffix(".kept") })
  }

  @Test("a set that is encoded as a list is doubted, but not kept or refused")
  func unstable() async throws {
    let change = Change("", Of(Listed()), Of<Listed>.self, "")
    var reports: [String] = []
    for _ in 1...20 { reports += try await change.open(change.left(.orderly), .refuse, 1) }
    #expect(reports.allSatisfy { $0.contains("digests of Of<Listed> can't be compared") })
    #expect(!reports.isEmpty)
  }
}

// MARK: - The states

private struct Of<Value: Codable & Sendable>: Codable, Sendable {
  var count = 1
  var it: Value

  init(_ it: Value) { self.it = it }
}

private struct Key: Codable, Hashable { var id: Int }

private struct Room: Codable, Hashable {
  var name = "n"
  var topic: String? = "a secret"

  struct Extended: Codable {
    var name: String
    var more: Int?
    var others: [String: Int]?
  }
}

private struct Less: Codable, Hashable { var name = "n" }
private struct Topic: Codable { var topic: String }
private struct Renamed: Codable {
  var name: String
  var title: String?
}

private enum Step: Codable {
  case open(room: Room), close(String?)

  enum Extended: Codable { case open(room: Room), close(String?), knock }
}
private enum LessStep: Codable { case open(room: Less), close(String?) }
private enum RenamedStep: Codable { case open(room: Room), close(with: String?) }

private func past(of room: Room) -> History<Room> {
  var history = History(room)
  history.step { $0.topic = nil }
  return history
}

/// Skips all elements.
private struct None: Codable {
  init(from decoder: any Decoder) throws { _ = try decoder.unkeyedContainer() }
  func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }
}

/// Reads nothing, and encodes nil.
private struct Nothing: Codable {
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encodeNil()
  }
}

/// Skips the elements that are even.
private struct Odd: Codable {
  let numbers: [Int]
  init(from decoder: any Decoder) throws {
    numbers = try [Int](from: decoder).filter { $0 % 2 == 1 }
  }
  func encode(to encoder: any Encoder) throws { try numbers.encode(to: encoder) }
}

private struct Default: Codable {
  var name: String
  var limit: Int

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    limit = try values.decodeIfPresent(Int.self, forKey: .limit) ?? 10
  }
}

private struct Listed: Codable {
  var numbers: Set<Int> = Set(0..<50)
  init() {}
  init(from decoder: any Decoder) throws { numbers = try Set([Int](from: decoder)) }
  func encode(to encoder: any Encoder) throws { try Array(numbers).encode(to: encoder) }
}
