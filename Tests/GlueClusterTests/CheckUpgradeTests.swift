import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// `checkUpgrade` finds why a new program can't read what the running one wrote.
@Suite(.jumpingTime) struct CheckUpgradeTests {
  let log = MemoryLog()

  private func written() async throws -> (snapshot: LogSnapshot, entries: [LogEntry]) {
    let events = Noted<Int>()
    let connection = log.connection()
    let keeping = KeepingLog(connection) { snapshot, position throws(LogError) in
      try await connection.keep(snapshot, trimmingBelow: position, in: nil)
      events.add(snapshot.position)
    }
    let old = board(OldBoard.self, "old", on: keeping)
    try await old.send(LineIntent.add("a"))
    let page = LogPage(log: "first", end: log.last, entries: [])
    old.replica.keepSnapshot(
      of: page, after: [log.digest(before: log.last)], isKeeper: true)
    await events.wait { !$0.isEmpty }
    await old.close()
    let snapshot = try #require(try await connection.snapshot())
    return (snapshot, try await connection.read(from: log.first, within: .zero).entries)
  }

  @Test func aSnapshotOfALaterFormatIsRefusedByItsNumber() async throws {
    let (snapshot, _) = try await written()
    let later = String(decoding: snapshot.bytes, as: UTF8.self)
      .replacing("\"format\":1", with: "\"format\":2", maxReplacements: 1)
    let reason = "The snapshot has format 2, but this module reads format 1."
    #expect(throws: SharedStoreError.unreadable(position: snapshot.position, reason)) {
      try checkUpgrade(
        from: LogSnapshot(position: snapshot.position, bytes: Array(later.utf8)), versions: both,
        format: boardFormat())
    }
  }

  @Test func aTypeThatGrewByOptionalPartsPasses() async throws {
    let (snapshot, entries) = try await written()
    try checkUpgrade(from: snapshot, entries: entries, versions: both, format: boardFormat())
  }

  @Test func aNewPropertyWithADefaultValueIsFoundAndTheCureIsNamed() async throws {
    let hasty = [SharedVersion<HastyBoard>.version(1, reducer: adding)]
    let reason =
      #""step" is missing. If the state's type has a new property, it must be optional or decoded "#
      + "with decodeIfPresent: synthesized Codable ignores its default value."
    let (snapshot, _) = try await written()
    #expect(throws: SharedStoreError.unreadable(position: snapshot.position, reason)) {
      try checkUpgrade(from: snapshot, versions: hasty, format: boardFormat())
    }
    // A replica of that program would stop there.
    let stopped = board(HastyBoard.self, "new", on: log.connection(), versions: hasty)
    let error = SharedStoreError.unreadable(position: snapshot.position, reason)
    #expect(await stopped.link { $0 == .stopped(error) } != nil)
    await stopped.close()
  }

  @Test func aPropertyThatIsGoneIsFoundBecauseTheOlderProgramReadsIt() async throws {
    struct Less: Board {
      var lines: [String] = []
      private enum CodingKeys: CodingKey {}
      init() {}
    }
    let (snapshot, _) = try await written()
    let versions = [SharedVersion<Less>.version(1, reducer: adding)]
    #expect {
      try checkUpgrade(from: snapshot, versions: versions, format: boardFormat())
    } throws: {
      guard case .unreadable(snapshot.position, let reason)? = $0 as? SharedStoreError else {
        return false
      }
      return reason.hasPrefix("The older program reads lines, which")
    }
  }

  @Test func anIntentThatNoLongerDecodesIsFoundAtItsPosition() async throws {
    let (snapshot, entries) = try await written()
    let format = JournalFormat(of: NewBoard.self, intents: [.named("title", Rename.self)])
    let error = SharedStoreError.unreadable(
      position: snapshot.position,
      #"no intent is named "line" in this format; "#
        + "a newer program may have written it: start that one")
    #expect(throws: error) {
      try checkUpgrade(from: snapshot, entries: entries, versions: both, format: format)
    }
  }

  @Test func aMigrationThatThrowsOrAVersionThatIsMissingIsFound() async throws {
    struct Unfit: Error {}
    let (snapshot, _) = try await written()
    let picky = SharedVersion<NewBoard>.version(2, reducer: adding) { _ in throw Unfit() }
    #expect(throws: UpgradeError.migration("Unfit()")) {
      try checkUpgrade(from: snapshot, versions: [both[0], picky], format: boardFormat())
    }
    #expect(throws: SharedStoreError.version(log: 1, known: 2...2, position: snapshot.position)) {
      try checkUpgrade(from: snapshot, versions: [next], format: boardFormat())
    }
  }
}
