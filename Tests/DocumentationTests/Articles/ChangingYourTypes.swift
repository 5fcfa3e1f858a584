import Foundation
import Glue
import GlueCluster
import GlueJournal
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.
// The suites test the rows of its tables.

struct Shelf: Codable, Sendable, Equatable {
  var books: [String] = []
  var limit = 10  // added
}

extension Shelf {
  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    books = try values.decode([String].self, forKey: .books)
    limit = try values.decodeIfPresent(Int.self, forKey: .limit) ?? 10
  }
}

/// A state of one of the programs.
private protocol Kept: Codable, Sendable { init() }

/// The state of the old program, and its changes.
private enum States {
  struct Old: Kept {
    var books = ["Emma"]
    var note: String? = "a note"
  }
  struct WithDefault: Kept {
    var books = ["Emma"]
    var note: String?
    var limit = 10
  }
  struct WithOptional: Kept {
    var books = ["Emma"]
    var note: String?
    var limit: Int?
  }
  struct Renamed: Kept {
    var titles = ["Emma"]
    var note: String?
  }
  struct RenamedOptional: Kept {
    var books = ["Emma"]
    var remark: String?
  }
  struct Removed: Kept { var note: String? }
  struct RemovedOptional: Kept { var books = ["Emma"] }
  struct OfAnotherType: Kept {
    var books = [1]
    var note: String?
  }
}
extension Shelf: Kept {}

/// The intents of the old program, and their changes.
private enum Intents {
  enum Old: Intent, Codable { case add(title: String) }
  enum WithCase: Intent, Codable { case add(title: String), clear }
  enum WithValue: Intent, Codable { case add(title: String, author: String) }
  enum WithOptionalValue: Intent, Codable { case add(title: String, author: String?) }
  enum Renamed: Intent, Codable { case put(title: String) }
}

/// The result of opening another program's journal.
private enum Outcome: Equatable {
  case opens, reports(String), fails(String)
}

private enum End: CaseIterable { case orderly, kill }

@Suite("Changing your types: a journal")
struct ChangingJournaledTypes {
  private let directory = TemporaryDirectory()

  /// Lets a program write a journal and end, and another one open it.
  private func outcome<Old: Kept, New: Kept>(
    of old: Old.Type, then new: New.Type,
    writing intents: [any Intent & Codable] = [Intents.Old.add(title: "")],
    as oldIntents: RecordedIntent = .named("shelf", Intents.Old.self),
    readAs newIntents: RecordedIntent = .named("shelf", Intents.Old.self),
    version: Int = 1, newVersion: Int = 1, migrate: [Migration<New>] = [], _ end: End
  ) async throws -> Outcome {
    let original = "\(directory.path)/\(UUID().uuidString)"
    let copy = "\(original)-copy"
    let written = try Journal(
      at: original, JournalFormat(of: Old.self, version: version, intents: [oldIntents]))
    let store = try Store(state: Old(), reducer: { _, _ in [] }, journal: written)
    for intent in intents { store.dispatch(intent) }
    try await written.synced()
    if end == .orderly { await store.shutdown() }
    try FileManager.default.copyItem(atPath: original, toPath: copy)
    await store.shutdown()

    let lines = Mutex<[String]>([])
    do {
      let journal = try Journal(
        at: copy,
        JournalFormat(
          of: New.self, version: newVersion, intents: [newIntents], migrate: migrate),
        report: { line in lines.withLock { $0.append(line) } })
      let store = try Store(state: New(), reducer: { _, _ in [] }, journal: journal)
      await store.shutdown()
    } catch let error as JournalError { return .fails(error.reason) }
    guard let line = lines.withLock({ $0.first }) else { return .opens }
    let kept = try FileManager.default.contentsOfDirectory(atPath: copy)
      .contains { $0.hasSuffix(".kept") }
    #expect(kept == line.contains("*.kept"))
    return .reports(line)
  }

  private func expect(
    _ outcome: Outcome, _ isExpected: (Outcome) -> Bool, line: Int = #line
  ) {
    #expect(
      isExpected(outcome), "\(outcome)",
      sourceLocation: SourceLocation(
        fileID: #fileID, filePath: #filePath, line: line, column: 1))
  }

  private func fails(by text: String) -> (Outcome) -> Bool {
    {
      if case .fails(let reason) = $0 { reason.contains(text) } else { false }
    }
  }

  private func reports(_ text: String) -> (Outcome) -> Bool {
    {
      if case .reports(let line) = $0 { line.contains(text) } else { false }
    }
  }

  private func keeps(_ property: String) -> (Outcome) -> Bool {
    reports("has \"\(property)\", which")
  }

  @Test("a change of the state", arguments: End.allCases)
  private func states(_ end: End) async throws {
    let old = States.Old.self
    #expect(try await outcome(of: old, then: States.WithOptional.self, end) == .opens)
    expect(
      try await outcome(of: old, then: States.WithDefault.self, end),
      fails(by: "\"limit\" is missing"))
    expect(
      try await outcome(of: States.RemovedOptional.self, then: Shelf.self, end),
      reports("Shelf has changed in \"limit\", but the format's version is the same"))
    #expect(
      try await outcome(
        of: States.RemovedOptional.self, then: Shelf.self, newVersion: 2,
        migrate: [.from(1, Shelf.self) { $0 }], end) == .opens)
    expect(
      try await outcome(of: old, then: States.Renamed.self, end),
      fails(by: "\"titles\" is missing"))
    expect(try await outcome(of: old, then: States.Removed.self, end), keeps("books"))
    expect(try await outcome(of: old, then: States.RemovedOptional.self, end), keeps("note"))
    expect(try await outcome(of: old, then: States.RenamedOptional.self, end), keeps("note"))
    expect(try await outcome(of: old, then: States.OfAnotherType.self, end), fails(by: "books"))
  }

  private func outcome<I: Intent & Codable>(
    ofReading type: I.Type, _ end: End
  ) async throws -> Outcome {
    try await outcome(
      of: States.Old.self, then: States.Old.self, readAs: .named("shelf", type), end)
  }

  @Test("a change of the intents", arguments: End.allCases)
  private func intents(_ end: End) async throws {
    #expect(try await outcome(ofReading: Intents.WithCase.self, end) == .opens)
    #expect(try await outcome(ofReading: Intents.WithOptionalValue.self, end) == .opens)
    let withValue = try await outcome(ofReading: Intents.WithValue.self, end)
    let renamed = try await outcome(ofReading: Intents.Renamed.self, end)
    if end == .orderly {
      #expect(withValue == .opens)
      #expect(renamed == .opens)
    } else {
      expect(withValue, fails(by: "\"author\" is missing"))
      expect(renamed, fails(by: "Renamed has no case \"add\""))
    }
  }

  @Test("going back", arguments: End.allCases)
  private func back(_ end: End) async throws {
    let old = States.Old.self
    #expect(try await outcome(of: States.WithOptional.self, then: old, end) == .opens)
    expect(try await outcome(of: States.WithDefault.self, then: old, end), keeps("limit"))
    let withCase = try await outcome(
      of: old, then: old, writing: [Intents.WithCase.clear],
      as: .named("shelf", Intents.WithCase.self), end)
    if end == .orderly {
      #expect(withCase == .opens)
    } else {
      expect(withCase, fails(by: "Old has no case \"clear\"; a newer program may have"))
    }
    expect(
      try await outcome(of: old, then: old, version: 2, end), fails(by: "it has version 2"))
  }

  struct Library: Codable, Sendable, Equatable { var titles: [String] = [] }
  struct OldState: Codable, Sendable { var books: [String] = [] }
  enum LibraryIntent: Intent, Codable { case add(title: String, author: String?) }

  static func library(state: inout Library, intent: LibraryIntent) -> [any Effect] {
    switch intent {
    case .add(let title, _): state.titles.append(title)
    }
    return []
  }

  private enum OldAdd: Intent, Codable { case add(String) }

  /// A journal of the old program, with a copy for a new one.
  private func oldJournal<State: Codable & Sendable>(
    _ state: State, reducer: @escaping @Sendable (inout State, OldAdd) -> [any Effect]
  ) async throws -> String {
    let (path, copy) = (directory.path + "/old", directory.path + "/copy")
    let journal = try Journal(
      at: path, JournalFormat(of: State.self, intents: [.named("library", OldAdd.self)]))
    let store = try Store(state: state, reducer: reducer, journal: journal)
    store.dispatch(OldAdd.add("Emma"))
    try await journal.synced()
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    await store.shutdown()
    return copy
  }

  @Test("a migration reads a renamed property after an orderly end, and a test opens a copy")
  func migration() async throws {
    struct OldLibrary: Codable { var books: [String] }  // Library as it was

    let format = JournalFormat(
      of: Library.self, version: 2, intents: [.named("library", LibraryIntent.self)],
      migrate: [.from(1, OldLibrary.self) { Library(titles: $0.books) }])

    _ = try await oldJournal(OldState()) { state, intent in
      if case .add(let title) = intent { state.books.append(title) }
      return []
    }
    let (copy, library) = (directory.path + "/old", Self.library)

    let journal = try Journal(at: copy, format, onDivergence: .refuse)
    let store = try Store(state: Library(), reducer: library, journal: journal)
    #expect(store.state == Library(titles: ["Emma"]))

    await store.shutdown()
  }

  @Test("a former name reads a changed case after a kill")
  func former() async throws {
    enum OldIntent: Codable { case add(String) }  // LibraryIntent as it was

    let renamed = JournalFormat(
      of: Library.self,
      intents: [
        .named("library 2", LibraryIntent.self),
        .formerly("library", OldIntent.self) { old -> LibraryIntent in
          switch old {
          case .add(let title): .add(title: title, author: nil)
          }
        },
      ])

    let copy = try await oldJournal(Library()) { state, intent in
      if case .add(let title) = intent { state.titles.append(title) }
      return []
    }
    let journal = try Journal(at: copy, renamed, onDivergence: .refuse)
    let store = try Store(state: Library(), reducer: Self.library, journal: journal)
    #expect(store.state == Library(titles: ["Emma"]))
    await store.shutdown()
  }
}

@Suite("Changing your types: a cluster")
struct ChangingSharedTypes {
  /// Whether a new program reads a snapshot of an old one, and the old one a state of the new one.
  private func works<Old: Kept, New: Kept>(_ old: Old.Type, _ new: New.Type) async throws -> Bool {
    let (kept, keeping) = AsyncStream.makeStream(of: LogSnapshot.self)
    let log = Keeping(log: MemoryLog().connection(), kept: keeping)
    let replica = GlueCluster.SharedStore(
      state: Old(), versions: [.version(1, reducer: { (_: inout Old, _: any Intent) in [] })],
      local: (),
      format: JournalFormat(of: Old.self, intents: [.named("shelf", Intents.Old.self)]),
      replica: "old", log: log, deadline: .seconds(3600), snapshotEvery: 1)
    try await replica.send(Intents.Old.add(title: ""))
    let snapshot = try #require(await kept.first { _ in true })
    await replica.close()
    do {
      try checkUpgrade(
        from: snapshot, versions: [.version(1, reducer: { (_: inout New, _: any Intent) in [] })],
        format: JournalFormat(of: New.self, intents: [.named("shelf", Intents.Old.self)]))
      return true
    } catch is SharedStoreError { return false }
  }

  @Test("a change of the state")
  func states() async throws {
    let old = States.Old.self
    #expect(try await works(old, States.WithOptional.self))
    #expect(try await !works(old, States.WithDefault.self))
    #expect(try await works(States.RemovedOptional.self, Shelf.self))
    #expect(try await !works(old, States.Renamed.self))
    #expect(try await !works(old, States.Removed.self))
    #expect(try await !works(old, States.RemovedOptional.self))
    #expect(try await !works(old, States.RenamedOptional.self))
    #expect(try await !works(old, States.OfAnotherType.self))
  }

  private func replica<I: Intent & Codable>(
    _ label: String, _ type: I.Type, _ log: some Log
  ) -> GlueCluster.SharedStore<States.Old, Void> {
    GlueCluster.SharedStore(
      state: States.Old(),
      versions: [.version(1, reducer: { (_: inout States.Old, _: any Intent) in [] })], local: (),
      format: JournalFormat(of: States.Old.self, intents: [.named("shelf", type)]),
      replica: label, log: log, deadline: .seconds(3600))
  }

  /// Whether a program of one type of intents reads one that a program of another type has sent.
  private func reads<I: Intent & Codable, Sent: Intent & Codable>(
    _ type: I.Type, _ intent: Sent
  ) async throws -> Bool {
    let log = MemoryLog()
    let sender = replica("sender", Sent.self, log.connection())
    try await sender.send(intent)
    await sender.close()
    let reader = replica("reader", type, log.connection())
    let isRead: Bool
    do {
      try await reader.catchUp()
      isRead = true
    } catch .unreadable { isRead = false }
    await reader.close()
    return isRead
  }

  @Test("a change of the intents")
  func intents() async throws {
    let added = Intents.Old.add(title: "")
    #expect(try await reads(Intents.WithCase.self, added))
    #expect(try await !reads(Intents.Old.self, Intents.WithCase.clear))
    #expect(try await reads(Intents.WithOptionalValue.self, added))
    #expect(
      try await reads(Intents.Old.self, Intents.WithOptionalValue.add(title: "", author: "Austen")))
    #expect(try await !reads(Intents.WithValue.self, added))
    #expect(try await !reads(Intents.Renamed.self, added))
    #expect(try await !reads(Intents.Old.self, Intents.Renamed.put(title: "")))
  }
}
