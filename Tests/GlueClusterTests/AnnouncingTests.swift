import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// A live replica is in the table.
@Suite(.jumpingTime) struct AnnouncingTests {
  let log = MemoryLog()

  @Test func anAnnouncementThatIsRefusedIsMadeAnewWhenItsDeadlineHasPassed() async throws {
    let log = MemoryLog(clock: JumpingClock())
    let tried = Noted<Int>()
    let refusing = NotingLog(log.connection()) { tried.add($0.number) }
    refusing.refuses(true)
    let shared = replica(of: refusing)
    await tried.wait { $0.contains(2) }
    refusing.refuses(false)
    let other = replica(of: log.connection(), "b")
    for await replicas in other.store.values(of: \.status.replicas) where replicas["a"] != nil {
      break
    }
    await shared.close()
    await other.close()
  }

  /// It was forgotten, and reads that in a snapshot.
  @Test func aLiveReplicaThatIsMissingFromTheTableAnnouncesItselfAnew() async throws {
    let connection = log.connection()
    let old = replica(of: connection, "old")
    try await old.catchUp()
    connection.setCut(true)
    let leading = replica(of: log.connection(), "leading", versions: [first, second])
    for _ in 1...3 { try await leading.catchUp() }
    try await forget("old", by: leading)
    connection.setCut(false)
    let new = replica(of: log.connection(), "new", versions: [first, second])
    for await replicas in new.store.values(of: \.status.replicas) where replicas["old"] != nil {
      break
    }
    await #expect(throws: UpgradeError.notReady(["old"])) { try await new.upgrade(to: 2) }
    for replica in [old, new, leading] { await replica.close() }
  }

  /// Keeps a snapshot whose table lacks a replica, and drops the entries.
  private func forget(_ label: String, by keeper: SharedStore<Lines, [String]>) async throws {
    var table = keeper.store.state.table
    table.senders = table.senders.filter { $0.value.replica != label }
    try await log.keep(table, keeper.store.state.state)
  }

  /// The announcement of an old replica comes while the new one's migration is tried.
  @Test func upgradeAsksTheLogOnceMoreAndThenSendsNothing() async throws {
    let late = Entry.Header("old", 1)
    let appending = SharedVersion<Lines>.version(2, reducer: lines) { [log] _ in
      log.append(try Entry.bytes(late, []))
    }
    let new = replica(of: log.connection(), "new", versions: [first, appending])
    await #expect(throws: UpgradeError.notReady(["old"])) { try await new.upgrade(to: 2) }
    let acts = try await log.connection().read(from: 1, within: .zero).entries.compactMap {
      try Entry.header(of: $0.bytes).act
    }
    #expect(acts == [])
    await new.close()
  }

  @Test func anAnnouncementIsMadeOnceAndAnIdleLogDoesNotGrow() async throws {
    let shared = replica(of: log.connection())
    for number in 1...3 { try await shared.send(LineIntent.add("\(number)")) }
    let headers = try await log.connection().read(from: 1, within: .zero).entries.map {
      try Entry.header(of: $0.bytes)
    }
    #expect(headers.map { $0.names != nil }.first == true)
    #expect(headers.filter { $0.names != nil }.allSatisfy { $0.seen.position == 0 })
    #expect(shared.store.state.table.senders.values.map(\.names) == [["line", "rename"]])
    await shared.close()
  }
}

/// An intent that a live replica can't read is its sender's error, and stops no other.
@Suite(.jumpingTime) struct NamesTests {
  let log = MemoryLog()

  /// It brings `Rename`, and doesn't say so.
  private let forgetful = [
    SharedVersion<Lines>.version(
      1,
      reducer: combineReducers {
        lines; rename
      })
  ]
  private let oldFormat = JournalFormat(
    of: Lines.self,
    intents: [.named("line", LineIntent.self), .elements("element", id: Int.self)])
  private let newFormat = JournalFormat(
    of: Lines.self,
    intents: [
      .named("line", LineIntent.self), .elements("element", id: Int.self),
      .named("rename", Rename.self),
    ])

  private func old(_ label: String = "old") -> SharedStore<Lines, [String]> {
    replica(of: log.connection(), label, format: oldFormat)
  }

  private func new(_ label: String = "new") -> SharedStore<Lines, [String]> {
    replica(of: log.connection(), label, versions: forgetful, format: newFormat)
  }

  private let refusal = SharedStoreError.notReady(
    ["old"],
    "Their programs don't read intents named rename. Let the version that brings them say so by "
      + "adds:, and call upgrade when all replicas know it. One that won't come back is taken out by "
      + "remove(replica:).")

  @Test func aForgottenAddsStopsNoOtherReplica() async throws {
    let replicas = (old: old(), new: new())
    try await replicas.old.catchUp()
    await #expect(throws: refusal) { try await replicas.new.send(Rename(title: "a")) }
    await #expect(throws: refusal) {
      try await replicas.new.send(ElementIntent(id: 1, intent: Rename(title: "a")))
    }
    try await replicas.new.send(LineIntent.add("a"))
    try await replicas.old.catchUp()
    #expect(replicas.old.store.state.state.lines == ["a"] && replicas.old.status.link == .live)

    // When the last program that lacks the name has ended, the intent is sent.
    await replicas.old.close()
    try await replicas.new.send(Rename(title: "b"))
    #expect(replicas.new.store.state.state.title == "b")
    await replicas.new.close()
  }

  @Test func aRestartOfTheSameLabelWithTheNameNeedNotWait() async throws {
    let before = old("a")
    try await before.catchUp()
    before.crash()
    let after = new("a")
    try await after.send(Rename(title: "a"))
    #expect(after.store.state.state.title == "a")
    await after.close()
  }

  /// It never reduces what they send.
  @Test func aReplicaThatAnUpgradeLeavesBehindHoldsNothingBack() async throws {
    let old = old()
    try await old.catchUp()
    old.crash()
    let new = replica(of: log.connection(), "new", versions: [first, second], format: newFormat)
    try await new.upgrade(to: 2, without: ["old"])
    try await new.send(Rename(title: "a"))
    #expect(new.store.state.state.title == "a" && new.status.replicas["old"] == 1)
    await new.close()
  }

  /// The upgrade is beyond the first page that it reads.
  @Test func anOldProgramThatIsStartedByMistakeIsNotAnnounced() async throws {
    let new = replica(of: log.connection(), "new", versions: [first, second], format: newFormat)
    for number in 1...150 { try await new.send(LineIntent.add("\(number)")) }
    // The log has no snapshot to begin with, although the upgrade keeps one.
    let plain = KeepingLog(log.connection()) { _, _ in }
    let upgrading = replica(of: plain, "b", versions: [first, second], format: newFormat)
    try await upgrading.upgrade(to: 2)
    let old = replica(of: log.connection(), "old", format: oldFormat)
    let stopped = await old.link { if case .stopped = $0 { true } else { false } }
    guard case .stopped(.version) = stopped else { return #expect(stopped == nil) }
    try await new.send(Rename(title: "a"))
    #expect(new.store.state.state.title == "a" && new.status.replicas["old"] == nil)
    for replica in [old, new, upgrading] { await replica.close() }
  }

  /// Its announcement is in flight: it was forgotten before this entry arrived.
  @Test func whatAReplicaHasYetToAnnounceIsNotSent() async throws {
    var header = Entry.Header("late", 1)
    header.names = nil
    log.append(try Entry.bytes(header, []))
    let new = new()
    await #expect {
      try await new.send(Rename(title: "a"))
    } throws: { error in
      if case .notReady(["late"], _)? = error as? SharedStoreError { true } else { false }
    }
    header = Entry.Header("late", 2)
    log.append(try Entry.bytes(header, []))
    try await new.catchUp()
    try await new.send(Rename(title: "a"))
    #expect(new.store.state.state.title == "a")
    await new.close()
  }
}
