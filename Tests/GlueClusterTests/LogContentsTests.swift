import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// A log is read, and a replica taken out, without the program's types.
@Suite(.jumpingTime) struct LogContentsTests {
  let log = MemoryLog()

  private func contents() async throws -> LogContents {
    try await LogContents(of: log.connection())
  }

  @Test func itsTableIsTheOneOfAReplica() async throws {
    let replicas = ["a", "b"].map { replica(of: log.connection(), $0, snapshotEvery: 4) }
    // With the second snapshot, the log drops entries.
    while replicas[0].store.state.table.kept.position < 8 {
      for replica in replicas { try await replica.send(LineIntent.add("a")) }
    }
    for replica in replicas { await replica.close() }
    let stray = log.append(Array("hello".utf8))
    let reader = replica(of: log.connection(), "reader")
    try await reader.catchUp()
    let contents = try await contents()
    await reader.reached(contents.table.position)
    #expect(contents.table == reader.store.state.table)
    #expect(contents.strays == [stray])
    #expect(contents.first > 1)
    let snapshot = try #require(contents.snapshot)
    #expect(snapshot.position >= 8 && snapshot.position < stray && snapshot.version == 1)
    await reader.close()
  }

  @Test func itFollowsAnOwnerAndAnUpgrade() async throws {
    let shared = replica(of: log.connection(), versions: [first, second])
    shared.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    try await shared.send(LineIntent.order("book"))
    for await mailed in shared.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    try await shared.upgrade(to: 2)
    let contents = try await contents()
    await shared.reached(contents.table.position)
    #expect(contents.table.version == 2)
    #expect(contents.table.owner == shared.store.state.table.owner)
    #expect(contents.table.ownersLabel == "a")
    await shared.close()
  }

  @Test func eachEntryIsALineOfJSON() async throws {
    log.append(Array("hello".utf8))
    let header = Entry.Header("a", 1, act: .gone)
    log.append(try Entry.bytes(header, [Array(#""b""#.utf8), Array(#"{"c":1}"#.utf8)]))
    let lines = Noted<String>()
    _ = try await LogContents(of: log.connection()) { lines.add($0.json) }
    #expect(
      lines.all == [
        #"{"position":1,"stray":"aGVsbG8="}"#,
        #"{"position":2,"header":{"act":{"gone":{}},"knows":1,"names":["line","rename"],"#
          + #""number":1,"replica":"a","seen":{"digest":0,"position":0},"sender":"a","speaks":1},"intents":["b",{"c":1}]}"#,
      ])
  }

  @Test(arguments: UInt64(1)...20)
  func aReplicaIsTakenOutOnceThroughFaults(seed: UInt64) async throws {
    let shared = replica(of: log.connection(), "a")
    let dead = replica(of: log.connection(), "dead")
    try await dead.catchUp()
    dead.crash()
    let connection = log.connection(faults: .many, seed: seed)
    while true {
      do {
        _ = try await LogContents.remove(replica: "dead", from: connection)
        break
      } catch {}
    }
    try await shared.catchUp()
    #expect(shared.status.replicas == ["a": 1] && shared.status.link == .live)
    #expect(try await !LogContents.remove(replica: "dead", from: log.connection()))
    #expect(try await !LogContents.remove(replica: "unknown", from: log.connection()))
    await shared.close()
  }

  @Test func aLogThatHasLostEntriesOfItsSnapshotIsNotRead() async throws {
    let connection = log.connection()
    let shared = replica(of: connection, snapshotEvery: 4)
    while shared.store.state.table.kept.position == 0 { try await shared.send(LineIntent.add("a")) }
    await shared.close()
    let snapshot = try #require(try await connection.snapshot())
    let short = MemoryLog()
    for _ in 0..<3 { short.append([7]) }
    try await short.connection().keep(snapshot, trimmingBelow: 0, in: nil)
    await #expect(throws: LogError.self) { try await LogContents(of: short.connection()) }
    // Others have been appended since.
    while short.last < snapshot.position + 2 { short.append([7]) }
    await #expect(throws: LogError.self) { try await LogContents(of: short.connection()) }
    await #expect(throws: LogError.self) {
      try await LogContents.remove(replica: "a", from: short.connection())
    }
  }

  @Test func entriesThatAreDroppedMeanwhileAreMissedOnlyWhereTheSnapshotEnds() async throws {
    let shared = replica(of: log.connection(), snapshotEvery: 4)
    while shared.store.state.table.kept.position == 0 { try await shared.send(LineIntent.add("a")) }
    await shared.close()
    let kept = try #require(try await log.connection().snapshot()?.position)
    let changed = ChangedLog(log: log.connection(), dropped: kept + 1)
    #expect(try await LogContents(of: changed).table.position == log.last)
    await #expect(throws: LogError.trimmed(first: kept + 2)) {
      try await LogContents(of: ChangedLog(log: log.connection(), dropped: kept + 2))
    }
    await #expect(throws: LogError.cut("Replicas drop entries sooner than they are read.")) {
      let changed = ChangedLog(log: log.connection(), dropped: kept + 2)
      _ = try await LogContents.remove(replica: "a", from: changed)
    }
  }

  @Test(arguments: [2, 3]) func aLogThatLacksAnEntryIsNotRead(position: LogPosition) async throws {
    for _ in 0..<3 { log.append([7]) }
    let reason = "Entry \(position) does not come, although the log has later ones."
    await #expect(throws: LogError.cut(reason)) {
      try await LogContents(of: ChangedLog(log: log.connection(), lost: position))
    }
  }
}

/// Drops the entries before a position when its first one has been asked for, and loses another.
private struct ChangedLog: WrappingLog {
  let log: MemoryLog.Connection
  var dropped = 0
  var lost = 0

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    if dropped > first, limit > .zero { throw .trimmed(first: dropped) }
    var page = try await log.read(from: first, within: limit)
    page.entries.removeAll { $0.position == lost }
    return page
  }
}
