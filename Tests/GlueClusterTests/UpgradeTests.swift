import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// Replicas move on to a version together, without a stop.
@Suite(.jumpingTime) struct UpgradeTests {
  let log = MemoryLog()

  @Test func aNewProgramWritesOnlyWhatTheOldOneCanReadUntilTheUpgrade() async throws {
    let old = replica(of: log.connection(), "old")
    let new = replica(of: log.connection(), "new", versions: [first, second])
    let early = SharedStoreError.notSent("It needs version 2, and the log is at 1.")
    await #expect(throws: early) { try await new.send(Rename(title: "early")) }
    try await new.send(LineIntent.add("a"))
    try await old.catchUp()
    #expect(old.store.state.state.lines == ["a"] && old.store.state.link == .live)
    await #expect(throws: UpgradeError.notReady(["old"])) { try await new.upgrade(to: 2) }
    await old.close()
    try await new.upgrade(to: 2)
    #expect(new.store.state.state.title == "migrated at 1")
    try await new.send(Rename(title: "later"))
    #expect(new.store.state.state.title == "later" && new.status.version == 2)
    await new.close()
  }

  @Test func aReplicaOfAnotherVersionThatSendsBeforeItsFirstReadStopsNoOther() async throws {
    let replicas = ["a", "b"].map { replica(of: log.connection(), $0) }
    try await replicas[0].send(LineIntent.add("a"))
    let new = replica(of: log.connection(), "new", versions: [first, second])
    new.store.dispatch(LineIntent.add("b"))
    let position = try await new.catchUp()
    for replica in replicas {
      await replica.reached(position)
      #expect(replica.store.state.state.lines == ["a", "b"])
      #expect(replica.store.state.link == .live)
    }
    for replica in replicas + [new] { await replica.close() }
  }

  @Test func anOldReplicaThatComesBackStopsAndLosesNothing() async throws {
    let connection = log.connection()
    let old = replica(of: connection, "old")
    try await old.send(LineIntent.add("a"))
    let new = replica(of: log.connection(), "new", versions: [first, second])
    try await new.catchUp()
    connection.setCut(true)
    let late = old.sending("late")
    try await new.upgrade(to: 2, without: ["old"])
    connection.setCut(false)
    let stopped = await old.link { if case .stopped = $0 { true } else { false } }
    guard case .stopped(.version(log: 2, known: 1...1, _)) = stopped else {
      throw UpgradeError.unknownVersion(2)
    }
    try await new.catchUp()
    #expect(!new.store.state.state.lines.contains("late"))
    _ = try await ticket(of: late)
    await old.close()
    let restarted = replica(of: log.connection(), "old", versions: [first, second])
    try await restarted.catchUp()
    #expect(restarted.store.state.state.lines.first == "a")
    await restarted.close()
    await new.close()
  }

  @Test func ofTwoUpgradesAtOnceOneActs() async throws {
    let migrations = Noted<Int>()
    let counted = SharedVersion<Lines>.version(2, reducer: lines) { state in
      state.title += "!"
    }
    let replicas = ["a", "b"].map { label in
      replica(of: log.connection(), label, versions: [first, counted]) {
        if case .upgraded(let version) = $0 { migrations.add(version) }
      }
    }
    for replica in replicas { try await replica.catchUp() }
    async let one: Void = replicas[0].upgrade(to: 2)
    async let other: Void = replicas[1].upgrade(to: 2)
    _ = try await (one, other)
    for replica in replicas {
      try await replica.catchUp()
      #expect(replica.store.state.state.title == "!")
      await replica.close()
    }
    #expect(migrations.all == [2, 2])
  }

  @Test func aMigrationThatThrowsUpgradesNothing() async throws {
    struct Unfit: Error {}
    let picky = SharedVersion<Lines>.version(2, reducer: lines) { state in
      if state.lines.contains("bad") { throw Unfit() }
    }
    let shared = replica(of: log.connection(), versions: [first, picky])
    try await shared.send(LineIntent.add("bad"))
    let before = log.last
    await #expect(throws: UpgradeError.migration("Unfit()")) { try await shared.upgrade(to: 2) }
    #expect(log.last == before + 1, "only catchUp's entry was sent")

    // At the position too: the state there may be another one than the caller's.
    _ = try await shared.replica.sender.send([], .upgrade(to: 2, without: []))
    try await shared.send(LineIntent.add("after"))
    #expect(shared.status.version == 1 && shared.store.state.state.lines == ["bad", "after"])
    await shared.close()
  }

  @Test func anEntryThatNeedsALaterVersionIsNeitherDecodedNorReducedButCounts() async throws {
    let shared = replica(of: log.connection())
    try await shared.catchUp()
    var header = Entry.Header("newer", 1, knows: 2)
    header.needs = 2
    log.append(try Entry.bytes(header, [Array(#"["unheard of",{}]"#.utf8)]))
    log.append(try Entry.bytes(Entry.Header("newer", 1), [Array(#"["line",0]"#.utf8)]))
    try await shared.send(LineIntent.add("a"))
    #expect(shared.store.state.state.lines == ["a"])
    #expect(shared.store.state.table.number(of: "newer") == 1)
    await shared.close()
  }

  @Test func programsMayLeaveAVersionOutWhenASnapshotIsOfTheNextOne() async throws {
    let old = replica(of: log.connection(), "a", versions: [first, second])
    try await old.send(LineIntent.add("a"))
    #expect(old.status.canDrop == nil)
    try await old.upgrade(to: 2)
    for await status in old.store.values(of: \.status) where status.canDrop == 1 { break }
    await old.close()
    let new = replica(of: log.connection(), "a", versions: [second])
    try await new.send(Rename(title: "b"))
    #expect(new.store.state.state.lines == ["a"] && new.status.version == 2)
    await new.close()
  }

  @Test func aLogOfAVersionThatTheProgramDoesNotKnowIsRefusedWithBothNamed() async throws {
    let old = replica(of: log.connection())
    try await old.catchUp()
    let new = replica(of: log.connection(), "new", versions: [second])
    let error = SharedStoreError.version(log: 1, known: 2...2, position: 1)
    #expect(await new.link { $0 == .stopped(error) } != nil)
    await #expect(throws: error) { try await new.send(LineIntent.add("a")) }
    await new.close()
    await old.close()
  }

  @Test func anOwnerThatDoesNotKnowTheVersionIsReplacedWithoutWaitingForItsLease() async throws {
    let connection = log.connection()
    let old = replica(of: connection, "old")
    old.own(Mail.self) { _, _ in
      try await ContinuousClock().sleep(for: .seconds(3_600))
      return []
    }
    try await old.send(LineIntent.order("book"))
    for await status in old.store.values(of: \.status) where status.owner == "old" { break }
    connection.setCut(true)
    let new = replica(
      of: log.connection(), "new", versions: [first, second], lease: .seconds(1_000_000))
    new.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    try await new.upgrade(to: 2, without: ["old"])
    for await mailed in new.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    await old.close()
    await new.close()
  }
}
