import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// The operator's view of a replica.
@Suite(.jumpingTime) struct OperatingTests {
  let log = MemoryLog()
  let events = Noted<SharedStoreEvent>()

  private func shared(
    _ label: String, _ log: some Log, versions: [SharedVersion<Lines>] = [first],
    format: JournalFormat<Lines> = lineFormat, snapshotEvery: Int = 10_000
  ) -> SharedStore<Lines, [String]> {
    replica(
      of: log, label, versions: versions, format: format, snapshotEvery: snapshotEvery,
      report: events.add)
  }

  /// Each of two programs takes the other's entries, so only their states show it.
  @Test func twoProgramsOfOneVersionWithDifferentReducersAreFound() async throws {
    let other = SharedVersion<Lines>.version(1) { state, intent in
      let wrong = { $0 == "line 3" || $0 == "line 5" ? "wrong" : $0 }
      if case LineIntent.add(let text) = intent { state.lines.append(wrong(text)) }
      return []
    }
    let replicas = [
      shared("a", log.connection(), versions: [first, second], snapshotEvery: 10),
      shared("b", log.connection(), versions: [other, second], snapshotEvery: 10),
    ]
    try await replicas[1].catchUp()
    // The tenth entry is one of "a", so "b" compares itself.
    for number in 0..<10 { try await replicas[0].send(LineIntent.add("line \(number)")) }
    await replicas[0].waits(for: ["b"], before: 2)
    #expect(events.all == [.differs(position: 10, path: "lines[3], lines[5]")])
    await #expect(throws: UpgradeError.notReady(["b"])) { try await replicas[0].upgrade(to: 2) }
    for replica in replicas { await replica.close() }
  }

  @Test func replicasThatAgreeReportNoDifference() async throws {
    let replicas = ["a", "b"].map { shared($0, log.connection(), snapshotEvery: 10) }
    for number in 0..<30 {
      let position = try await replicas[0].send(LineIntent.add("line \(number)"))
      await replicas[1].reached(position)
    }
    for await kept in replicas[1].store.values(of: \.table.kept.position) where kept > 0 { break }
    try await replicas[1].catchUp()
    #expect(!events.all.contains { if case .differs = $0 { true } else { false } })
    for replica in replicas { await replica.close() }
  }

  /// A migration depends on the state alone, but a program may be wrong on one machine.
  @Test func aMigrationThatThrowsOnOneReplicaAloneIsReportedAndTheNextUpgradeRefused() async throws
  {
    struct Unfit: Error {}
    let third = SharedVersion<Lines>.version(3, reducer: lines)
    let unfit = SharedVersion<Lines>.version(2, reducer: lines) { _ in throw Unfit() }
    let fit = shared("a", log.connection(), versions: [first, second, third])
    let alone = shared("b", log.connection(), versions: [first, unfit, third])
    try await alone.catchUp()
    try await fit.upgrade(to: 2)
    let path = "version 2 is in force there and 1 here, because a migration threw"
    await fit.waits(for: ["b"], before: 3)
    #expect(events.all.contains { if case .differs(_, path) = $0 { true } else { false } })
    #expect(fit.status.version == 2 && alone.status.version == 1)
    await #expect(throws: UpgradeError.notReady(["b"])) { try await fit.upgrade(to: 3) }

    // A restart begins with the snapshot of the upgrade, and cures it.
    await alone.close()
    let again = shared("b", log.connection(), versions: [first, second, third])
    try await again.catchUp()
    #expect(again.store.state.state == fit.store.state.state && again.status.version == 2)
    try await again.upgrade(to: 3)
    for replica in [fit, again] { await replica.close() }
  }

  @Test func anOwedEffectThatCannotBeDoneHereIsReportedOnceAndDoneWhenItCan() async throws {
    let owner = shared("a", log.connection())
    owner.own(Ring.self) { _, _ in [] }
    try await owner.send(LineIntent.order("book"))
    await events.wait { events in
      events.contains {
        if case .cannotDo(_, _, let why) = $0 { why.contains("own(Mail") } else { false }
      }
    }
    owner.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    for await mailed in owner.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    await owner.close()
  }

  @Test func anOwedEffectThatDoesNotDecodeIsReported() async throws {
    struct Letter: Effect, Codable { let address: String }
    let other = JournalFormat(
      of: Lines.self, intents: [.named("line", LineIntent.self)],
      effects: [.atLeastOnce("mail", Letter.self)])
    let sending = shared("a", log.connection())
    try await sending.send(LineIntent.order("book"))
    // It takes the table over from a snapshot, where its reducer does not make the effect anew.
    _ = try await sending.keepSnapshotNow(of: log)
    let owner = shared("b", log.connection(), versions: [first, second], format: other)
    owner.own(Letter.self) { _, _ in [] }
    await events.wait { events in
      events.contains {
        if case .cannotDo(_, _, let why) = $0 { why.contains("address") } else { false }
      }
    }
    await sending.close()
    await owner.close()
  }

  @Test func aSnapshotThatIsNotKeptIsReported() async throws {
    let full = KeepingLog(log.connection()) { _, _ throws(LogError) in
      throw .cut("The disk is full.")
    }
    let shared = shared("a", full, snapshotEvery: 5)
    for number in 0..<6 { try await shared.send(LineIntent.add("\(number)")) }
    await events.wait { $0.contains(.snapshotFailed(position: 5, "The disk is full.")) }
    await shared.close()
  }

  /// No later send shows that the engine takes entries again.
  @Test func appendsThatFailAreSeenAndSoIsTheirEnd() async throws {
    let log = MemoryLog(clock: JumpingClock())
    let connection = log.connection()
    let shared = replica(of: connection, deadline: .seconds(2), report: events.add)
    try await shared.catchUp()
    var full = MemoryLog.Faults()
    full.refusals = 1
    connection.setFaults(full)
    await #expect(throws: SharedStoreError.notSent("refused")) {
      try await shared.send(LineIntent.add("a"))
    }
    #expect(shared.status.appendFailure == "refused" && shared.status.link == .live)
    connection.setFaults(.init())
    for await status in shared.store.values(of: \.status) where status.appendFailure == nil {
      break
    }
    await events.wait { $0.contains(.appendsWork) }
    #expect(events.all == [.appendsFail("refused"), .appendsWork])
    #expect(events.all.map(\.severity) == [.error, .info])
    await shared.close()
  }

  @Test func queuedIntentsGetTheReasonWhyAppendsFail() {
    var outgoing = Outgoing(sender: "a", replica: "a", versions: 1...1)
    outgoing.hasBegun = true
    outgoing.failure = "The disk is full."
    _ = outgoing.add(Outgoing.Waiting(lines: [], deadline: .seconds(1)) { _ in })
    let reason = "The log takes no entries: The disk is full."
    #expect(outgoing.expire(at: .seconds(1)).map(\.answer) == [.failure(.notSent(reason))])
  }

  @Test func aLostLinkAndItsReturnAreReportedOnce() async throws {
    let connection = log.connection()
    let shared = shared("a", connection)
    try await shared.catchUp()
    connection.setCut(true)
    await events.wait { $0.contains(.linkLost("cut off")) }
    connection.setCut(false)
    try await shared.catchUp()
    await events.wait { $0.contains(.linkBack) }
    #expect(events.all == [.linkLost("cut off"), .linkBack])
    #expect(events.all.map(\.severity) == [.warning, .info])
    await shared.close()
  }

  @Test func aReplicaThatIsFarBehindSaysSo() async throws {
    for number in 1...1_500 { log.append(try Entry.bytes(Entry.Header("b", number), [])) }
    let shared = shared("a", log.connection())
    try await shared.catchUp()
    #expect(events.all == [.behind(by: 1_500)])
    #expect(shared.status.lag == 0 && shared.status.replicas == ["a": 1, "b": 1])
    #expect(
      shared.status.heard["a"] != nil && shared.status.heard["b"] == nil, "b may be long gone")
    await shared.close()
  }

  @Test func anIdleClusterDoesNotGrow() async throws {
    let clock = JumpingClock()
    let replicas = ["a", "b"].map { replica(of: log.connection(), $0, clock: clock) }
    for replica in replicas {
      replica.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    }
    try await replicas[0].send(LineIntent.order("book"))
    for replica in replicas {
      for await owed in replica.store.values(of: \.table.owed) where owed.isEmpty { break }
    }
    for replica in replicas { for _ in 0..<3 { try await replica.catchUp() } }
    let before = log.last
    try await clock.sleep(for: .seconds(3_600))
    // An election would have appended by now, because an hour has passed.
    try await replicas[0].catchUp()
    #expect(log.last == before + 1)
    for replica in replicas { await replica.close() }
  }
}

extension SharedStore where State == Lines, Local == [String] {
  /// Keeps a snapshot of this replica's state, as at a snapshot's position.
  fileprivate func keepSnapshotNow(of log: MemoryLog) async throws -> LogPosition {
    let position = store.state.table.position
    let session = replica.sender.session?.name ?? ""
    let page = LogPage(log: "first", session: session, end: position, entries: [])
    replica.keepSnapshot(of: page, after: [log.digest(before: position)], isKeeper: true)
    for await kept in store.values(of: \.table.kept.position) where kept >= position { break }
    return position
  }
}
