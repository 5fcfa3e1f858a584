import Glue
import GlueJournal
import ProcessSupport
import Synchronization
import Testing

@testable import GlueCluster

@Suite(.jumpingTime) struct SnapshotTests {
  let log = MemoryLog()

  private func fill(to position: LogPosition) async throws -> SharedStore<Lines, [String]> {
    let shared = replica(of: log.connection(), "old", snapshotEvery: 10)
    for number in 1...position { try await shared.send(LineIntent.add("\(number)")) }
    while log.first <= position - 20 { await Task.yield() }
    return shared
  }

  @Test func aNewReplicaStartsFromTheSnapshotAndReadsNothingBefore() async throws {
    let old = try await fill(to: 100)
    let counting = CountingLog(log.connection())
    let new = replica(of: counting)
    try await new.catchUp()
    #expect(new.store.state.state == old.store.state.state)
    #expect(counting.read.withLock { $0 } <= 30)
    #expect(log.first > 80)
    await old.close()
    await new.close()
  }

  @Test func aDuplicateOfWhatTheSnapshotIncludesIsDropped() async throws {
    let old = try await fill(to: 100)
    let entries = try await log.connection().read(from: log.last - 5, within: .zero).entries
    for entry in entries { log.append(entry.bytes) }
    let new = replica(of: log.connection())
    try await new.catchUp()
    #expect(new.store.state.state.lines == (1...100).map { "\($0)" })
    await old.close()
    await new.close()
  }

  @Test func aReplicaThatFellBehindTheLogTakesOverTheSnapshot() async throws {
    let connection = log.connection()
    let behind = replica(of: connection)
    behind.store.dispatch(NoName())
    try await behind.catchUp()
    connection.setCut(true)
    let old = try await fill(to: 100)
    connection.setCut(false)
    try await behind.catchUp()
    #expect(behind.store.state.state == old.store.state.state)
    #expect(behind.store.state.local == ["NoName()"])
    await old.close()
    await behind.close()
  }

  /// The link is slow: two at once would slow each other down.
  @Test func aSnapshotThatComesWhileAnotherIsKeptIsTheNewestWhenItsTurnComes() async throws {
    let (begun, gate) = (Noted<LogPosition>(), AsyncStream.makeStream(of: Void.self))
    let slow = KeepingLog(log.connection()) { snapshot, _ in
      begun.add(snapshot.position)
      if begun.all.count == 1 { for await _ in gate.stream {} }
    }
    let shared = replica(of: slow, snapshotEvery: 10)
    for number in 1...35 { try await shared.send(LineIntent.add("\(number)")) }
    await begun.wait { $0 == [10] }
    gate.continuation.finish()
    await begun.wait { $0.count == 2 }
    #expect(begun.all == [10, 30])
    await shared.close()
  }

  @Test func anOlderSnapshotNeverReplacesANewerOne() async throws {
    let connection = log.connection()
    for position in [20, 10] {
      try await connection.keep(
        LogSnapshot(position: position, bytes: [1]), trimmingBelow: 0, in: nil)
    }
    #expect(try await connection.snapshot()?.position == 20)
  }
}

struct NoName: Intent {}

/// Counts the entries that are read.
final class CountingLog: WrappingLog {
  let read = Locked(0)
  let log: MemoryLog.Connection

  init(_ log: MemoryLog.Connection) { self.log = log }

  func read(from position: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    let page = try await log.read(from: position, within: limit)
    read.withLock { $0 += page.entries.count }
    return page
  }

  func entry(at position: LogPosition, within limit: Duration) async throws(LogError) -> LogEntry? {
    read.withLock { $0 += 1 }
    return try await log.entry(at: position, within: limit)
  }
}
