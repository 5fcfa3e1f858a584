import Glue
import GlueSimulation
import Testing

@testable import GlueJournal

@Suite("J9: a recorded property that the state's type does not read is named")
struct J9UnreadPropertiesTests {
  private struct Shop: Codable, Sendable {
    var count = 1
    var name: String? = "a secret"
    var rows = ["r"]
  }
  private struct Renamed: Codable, Sendable {
    var count = 1
    var title: String?
    var rows = ["r"]
  }
  private struct Extended: Codable, Sendable {
    var count = 1
    var name: String?
    var rows = ["r"]
    var more: Int?
  }
  private struct Foreign: Codable, Sendable {
    var flag: Bool?
    var amount: Double?
  }

  /// Encodes an absent name as null.
  private struct Explicit: Codable, Sendable {
    enum CodingKeys: CodingKey { case count, name, rows }
    var count = 1
    var name: String?
    var rows = ["r"]

    func encode(to encoder: any Encoder) throws {
      var members = encoder.container(keyedBy: CodingKeys.self)
      try members.encode(count, forKey: .count)
      try members.encode(name, forKey: .name)
      try members.encode(rows, forKey: .rows)
    }
  }

  /// Opens a journal, with a commit if asked, and ends well.
  private func open<State: Codable & Sendable>(
    _ state: State, _ files: MemoryFiles, _ onDivergence: OnDivergence = .refuse, version: Int = 1,
    commits: Int = 0, snapshots: Snapshots = .bySize, migrate: [Migration<State>] = [],
    formerProperties: [String] = []
  ) throws -> [String] {
    let lines = Lines()
    let format = JournalFormat(
      of: State.self, version: version, intents: [.named("tally", TallyIntent.self)],
      migrate: migrate, formerProperties: formerProperties)
    let journal = try Journal(
      in: files, format, snapshots: snapshots, keeping: 1, onDivergence: onDivergence,
      reports: lines)
    let store = try Store(state: state, reducer: { _, _ in [] }, journal: journal)
    for value in 0..<commits { store.dispatch(TallyIntent.add(value)) }
    return lines.all
  }

  private func left(_ state: some Codable & Sendable) throws -> MemoryFiles {
    let files = MemoryFiles()
    #expect(try open(state, files) == [])
    return files
  }

  private let message =
    "/j/0000000000000001.state: the recorded state has \"name\", which Renamed does not read: give "
    + "the format a new version: and a migrate:, or, if nothing is lost, formerProperties: [\"name\"]"

  @Test("refusing throws, and changes nothing, not even a torn tail")
  func refused() throws {
    let whole = try left(Shop())
    let log = "/j/0000000000000001.log"
    var torn = whole.all
    torn[log, default: []] += Array("0".utf8)
    for all in [whole.all, torn] {
      let files = MemoryFiles.of(all)
      let error = #expect(throws: JournalError.self) { try open(Renamed(), files) }
      #expect(error?.description == message)
      #expect(files.all.filter { $0.key != "/j/lock" } == all.filter { $0.key != "/j/lock" })
    }
  }

  @Test("reporting keeps the files aside until they are removed, and the old program can read them")
  func kept() throws {
    let files = try left(Shop())
    let before = files.all
    let expected = "\(message). Copies of the files stay beside it until you remove them: *.kept"
    #expect(try open(Renamed(), files, .report, commits: 1) == [expected])
    // Newer states replace the one that has the property.
    for _ in 1...3 { #expect(try open(Renamed(), files, .report, commits: 1) == []) }
    #expect(files.all["/j/0000000000000001.state"] == nil)
    let kept = files.all.filter { $0.key.hasSuffix(".kept") }
    let old = Dictionary(uniqueKeysWithValues: kept.map { (String($0.key.dropLast(5)), $0.value) })
    #expect(old == before.filter { $0.key != "/j/lock" })
    #expect(try open(Shop(), .of(old)) == [])
    for path in kept.keys { files.forget(path) }
    #expect(try open(Renamed(), files, .report, commits: 1) == [])
    #expect(!files.all.keys.contains { $0.hasSuffix(".kept") })
  }

  @Test("an opening that is repeated after a kill leaves the first copies as they are")
  func repeated() throws {
    let files = try left(Shop())
    let crashes = Shared<[MemoryFiles]>([])
    files.watch { _, _ in
      crashes.change { $0.append(files.afterKill()) }
      return nil
    }
    let log = files.all["/j/0000000000000001.log"]
    #expect(try open(Renamed(), files, .report, commits: 1).count == 1)
    for files in crashes.value where files.all["/j/0000000000000001.state"] != nil {
      _ = try open(Renamed(), files, .report, commits: 1)
      #expect(files.all["/j/0000000000000001.log.kept"] == log)
    }
  }

  @Test("a property that only the last commit's state has is named too")
  func lastCommit() throws {
    let files = MemoryFiles()
    let format = JournalFormat(of: Shop.self, intents: [.named("tally", TallyIntent.self)])
    let journal = try Journal(in: files, format, snapshots: .every(1))
    let store = try Store(
      state: Shop(name: nil),
      reducer: { (state: inout Shop, _: TallyIntent) in
        state.name = "b"
        return []
      }, journal: journal)
    store.dispatch(TallyIntent.add(1))
    let left = withExtendedLifetime(store) { files.afterKill() }
    let error = #expect(throws: JournalError.self) { try open(Renamed(), left) }
    #expect(error?.description.contains("has \"name\", which Renamed") == true)
  }

  @Test("another program's journal, if its state decodes, is named as well")
  func foreign() throws {
    let error = #expect(throws: JournalError.self) { try open(Foreign(), left(Shop())) }
    #expect(error?.reason.contains("has \"count\", \"name\", \"rows\", which Foreign") == true)
  }

  @Test("nothing is lost of a null, but a coding that no longer encodes it has changed")
  func explicit() throws {
    let error = #expect(throws: JournalError.self) { try open(Renamed(), left(Explicit())) }
    #expect(error?.reason.contains("coding of Renamed has changed in \"name\", but") == true)
  }

  @Test("new optionals, nil values, a new version and declared properties are silent")
  func silent() throws {
    #expect(try open(Extended(), left(Shop())) == [])
    #expect(try open(Renamed(), left(Shop(name: nil))) == [])
    #expect(try open(Renamed(), left(Shop()), formerProperties: ["name"]) == [])
    let migrate: [Migration<Renamed>] = [
      .from(1, Shop.self) { Renamed(count: $0.count, title: $0.name) }
    ]
    #expect(try open(Renamed(), left(Shop()), version: 2, migrate: migrate) == [])
  }
}
