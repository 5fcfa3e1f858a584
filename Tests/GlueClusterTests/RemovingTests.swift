import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// A replica that will not come back is taken out, and a label that two have is reported.
@Suite(.jumpingTime) struct RemovingTests {
  let log = MemoryLog()
  let events = Noted<String>()

  private func start(
    _ label: String, as name: String? = nil, _ versions: [SharedVersion<Lines>] = [first, second],
    on connection: MemoryLog.Connection? = nil
  ) -> SharedStore<Lines, [String]> {
    replica(of: connection ?? log.connection(), label, versions: versions) { [events] event in
      events.add("\(name ?? label): \(event)")
    }
  }

  private func inUse(_ label: String, by name: String) -> String {
    "\(name): \(SharedStoreEvent.labelInUse(label))"
  }

  @Test func aReplicaThatWillNotComeBackIsTakenOut() async throws {
    let (dead, new) = (start("dead", [first]), start("new"))
    try await dead.catchUp()
    dead.crash()
    await #expect(throws: UpgradeError.notReady(["dead"])) { try await new.upgrade(to: 2) }
    try await new.remove(replica: "dead")
    #expect(new.status.replicas == ["new": 2])
    try await new.upgrade(to: 2)
    #expect(new.status.version == 2)

    // Neither does an unknown label harm, nor one that was removed already.
    let before = new.store.state.table.senders.count
    for label in ["dead", "unknown"] { try await new.remove(replica: label) }
    #expect(new.store.state.table.senders.count == before, "nothing was sent for them")
    await new.close()
  }

  @Test(arguments: UInt64(1)...20)
  func removingThroughFaultsCountsOnce(seed: UInt64) async throws {
    let dead = start("dead")
    try await dead.catchUp()
    dead.crash()
    let connection = log.connection(faults: .many, seed: seed)
    let shared = start("a", on: connection)
    while true {
      do throws(SharedStoreError) {
        try await shared.remove(replica: "dead")
        break
      } catch {}
    }
    #expect(shared.status.replicas == ["a": 2])

    // Copies that come late don't take out a replica that has come back.
    connection.setFaults(.init())
    let back = start("dead")
    try await back.catchUp()
    let entries = try await log.connection().read(from: 1, within: .zero).entries
    for entry in entries { log.append(entry.bytes) }
    try await shared.catchUp()
    #expect(shared.status.replicas == ["a": 2, "dead": 2])
    for replica in [shared, back] { await replica.close() }
  }

  /// Not even before it has read the log, from which it is cut off.
  @Test func aReplicaCannotRemoveItself() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await JumpingTime.passes {
        let connection = MemoryLog().connection()
        connection.setCut(true)
        try await replica(of: connection, "a").remove(replica: "a")
      }
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("Glue: a replica can't remove itself."))
  }

  @Test func anOwnerThatIsTakenOutIsReplacedWithoutWaitingForItsLease() async throws {
    let dead = start("dead")
    dead.own(Mail.self) { _, _ in
      try await ContinuousClock().sleep(for: .seconds(3_600))
      return []
    }
    try await dead.send(LineIntent.order("book"))
    for await status in dead.store.values(of: \.status) where status.owner == "dead" { break }
    dead.crash()
    let new = replica(of: log.connection(), "new", lease: .seconds(1_000_000))
    new.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    try await new.remove(replica: "dead")
    for await mailed in new.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    await new.close()
  }

  @Test func aReplicaThatIsTakenOutAndLivesSaysSoAndContinues() async throws {
    let (living, other) = (start("living"), start("other"))
    try await living.catchUp()
    try await other.remove(replica: "living")
    await events.wait { $0.contains(inUse("living", by: "living")) }
    try await living.send(LineIntent.add("a"))
    #expect(living.store.state.state.lines == ["a"] && living.status.link == .live)
    for replica in [living, other] { await replica.close() }
  }

  /// It reads that in a snapshot.
  @Test func aReplicaThatIsTakenOutWhileItIsCutOffSaysSo() async throws {
    let connection = log.connection()
    let (living, other) = (start("living", on: connection), start("other"))
    try await living.catchUp()
    connection.setCut(true)
    try await other.remove(replica: "living")
    try await log.keep(other.store.state.table, other.store.state.state)
    connection.setCut(false)
    try await living.catchUp()
    try await other.send(LineIntent.add("a"))
    await events.wait { $0.contains(inUse("living", by: "living")) }
    for replica in [living, other] { await replica.close() }
  }

  @Test func twoLiveReplicasWithOneLabelAreReportedByBoth() async throws {
    let older = start("a", as: "older")
    try await older.catchUp()
    let newer = start("a", as: "newer")
    await events.wait { events in
      ["older", "newer"].allSatisfy { events.contains(inUse("a", by: $0)) }
    }
    for replica in [older, newer] {
      for _ in 0..<3 { try await replica.catchUp() }
      await replica.close()
    }
    #expect(events.all.filter { $0.contains("label") }.count == 2, "each reports it once")
  }

  @Test func aRestartIsNotReportedEvenIfAnEntryOfTheOlderStartComesLate() async throws {
    let older = start("a")
    let seen = try await older.catchUp()
    var late = Entry.Header(older.replica.program.me, 100)
    late.replica = "a"
    late.seen = Entry.Seen(position: seen, digest: older.store.state.table.digest)
    older.crash()
    let newer = start("a", as: "newer")
    try await newer.catchUp()
    log.append(try Entry.bytes(late, []))
    try await newer.catchUp()
    #expect(newer.store.state.table.number(of: late.sender) == 100)
    #expect(events.all == [])
    await newer.close()
  }

  /// The first entry of a start that has crashed, when there was only the log's first entry.
  private func append(crashed label: String, as sender: String = "crashed") throws {
    var late = Entry.Header(sender, 1)
    late.replica = label
    late.seen = Entry.Seen(position: 1, digest: log.digest(before: 2))
    log.append(try Entry.bytes(late, []))
  }

  @Test func aStartWhoseFirstEntryComesLateIsEndedByTheNewerOne() async throws {
    let other = start("other")
    try await other.catchUp()
    let newer = start("a", as: "newer")
    try await newer.catchUp()
    try append(crashed: "a")
    for await late in newer.store.values(of: { $0.table.senders["crashed"] })
    where late?.isGone == true { break }
    #expect(newer.status.replicas == ["a": 2, "other": 2])
    #expect(events.all == [])
    for replica in [newer, other] { await replica.close() }
  }

  @Test func aStartEndsAnOlderOneWhoseFirstEntryComesJustBeforeItsOwn() async throws {
    let other = start("other")
    try await other.catchUp()
    let connection = log.connection()
    var faults = MemoryLog.Faults()
    faults.delays = 1
    connection.setFaults(faults)
    let newer = start("a", as: "newer", on: connection)
    await events.wait { $0.contains { $0.contains("delayed") } }
    try append(crashed: "a")
    for _ in 0..<5 { try await other.send(LineIntent.add("")) }
    connection.setFaults(.init())
    for await late in other.store.values(of: { $0.table.senders["crashed"] })
    where late?.isGone == true { break }
    try await other.catchUp()
    #expect(other.status.replicas == ["a": 2, "other": 2])
    #expect(!events.all.contains(inUse("a", by: "newer")))
    for replica in [newer, other] { await replica.close() }
  }

  /// Before each of its replica's entries one arrives that it hasn't seen, until it is tried again.
  @Test func anUpgradeIsNotHeldUpByCrashedStartsOfItsReplica() async throws {
    let other = start("other")
    try await other.catchUp()
    let tries = Noted<Int>()
    let connection = NotingLog(log.connection()) { [self] header in
      if tries.all.isEmpty {
        #expect(throws: Never.self) { try append(crashed: "a", as: "crashed \(header.number)") }
      }
      if case .upgrade = header.act { tries.add(header.number) }
    }
    let upgrading = replica(of: connection, versions: [first, second])
    try await upgrading.upgrade(to: 2)
    #expect(tries.all.count == 2)
    #expect(other.status.replicas["a"] == 2)
    for replica in [upgrading, other] { await replica.close() }
  }

  @Test func twoLiveStartsAreReportedIfTheOlderOnesEntryComesLate() async throws {
    let connection = log.connection()
    var faults = MemoryLog.Faults()
    faults.delays = 1
    connection.setFaults(faults)
    let older = start("a", as: "older", [first], on: connection)
    await events.wait { $0.contains { $0.contains("delayed") } }
    let newer = start("a", as: "newer")
    try await newer.catchUp()
    connection.setFaults(.init())
    await events.wait { events in
      ["older", "newer"].allSatisfy { events.contains(inUse("a", by: $0)) }
    }
    #expect(newer.store.state.table.senders.values.count { !$0.isGone } == 1)
    for replica in [older, newer] { await replica.close() }
    #expect(events.all.filter { $0.contains("label") }.count == 2, "each reports it once")
  }
}
