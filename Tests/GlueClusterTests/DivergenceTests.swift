import Glue
import GlueJournal
import Synchronization
import ProcessSupport
import Testing

@testable import GlueCluster

@Suite(.jumpingTime) struct DivergenceTests {
  let log = MemoryLog()

  @Test func anEntryOfOneWhoWasShownMoreThanThereIsStopsTheReplica() async throws {
    var header = Entry.Header("other", 1)
    header.seen = Entry.Seen(position: 5, digest: 0)
    try log.append(Entry.bytes(header, []))
    let shared = replica(of: log.connection())
    let error = SharedStoreError.diverged(position: 0)
    #expect(await shared.link { $0 == .stopped(error) } != nil)
    await #expect(throws: error) { try await shared.send(LineIntent.add("a")) }
    await shared.close()
  }

  @Test func replicasThatAreShownOtherEntriesStop() async throws {
    let honest = replica(of: log.connection())
    let wronged = replica(of: LyingLog(log.connection(), at: 2), "b")
    for text in ["a", "b", "c"] { try await honest.send(LineIntent.add(text)) }
    let error = SharedStoreError.diverged(position: 2)
    #expect(await wronged.link { $0 == .stopped(error) } != nil)
    await honest.close()
    await wronged.close()
  }
}

/// Shows a foreign entry instead of the one at a position.
private struct LyingLog: WrappingLog {
  let log: MemoryLog.Connection
  let position: LogPosition

  init(_ log: MemoryLog.Connection, at position: LogPosition) {
    (self.log, self.position) = (log, position)
  }

  func read(from first: LogPosition, within limit: Duration) async throws(LogError) -> LogPage {
    var page = try await log.read(from: first, within: limit)
    for index in page.entries.indices where page.entries[index].position == position {
      page.entries[index].bytes = (try? Entry.bytes(Entry.Header("nobody", 1), [])) ?? []
    }
    return page
  }
}
