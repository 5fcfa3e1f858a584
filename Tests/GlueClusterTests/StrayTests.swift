import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// An entry that no version of this module made is void for all replicas.
@Suite(.jumpingTime) struct StrayTests {
  let log = MemoryLog()

  @Test(arguments: ["hello", "", "{}", "\n\n", #"{"sender":"x"}"#, "\u{0}\u{1}"])
  func itIsSkippedByEachReplicaAndReported(bytes: String) async throws {
    let events = Noted<SharedStoreEvent>()
    let replicas = ["a", "b"].map { replica(of: log.connection(), $0, report: events.add) }
    for replica in replicas { try await replica.catchUp() }
    let position = log.append(Array(bytes.utf8))
    try await replicas[0].send(LineIntent.add("a"))
    let late = replica(of: log.connection(), "late", report: events.add)
    for replica in replicas + [late] { try await replica.catchUp() }
    let last = log.last
    for replica in replicas + [late] {
      await replica.reached(last)
      #expect(replica.store.state.state.lines == ["a"] && replica.status.link == .live)
      #expect(replica.store.state.table == late.store.state.table)
    }
    #expect(events.all.filter { $0 == .strayEntry(position: position) }.count == 3)
    for replica in replicas + [late] { await replica.close() }
  }

  @Test func aLogThatBeginsWithOneBeginsWithTheProgramsVersion() async throws {
    log.append(Array("hello".utf8))
    let shared = replica(of: log.connection(), versions: [second])
    try await shared.send(Rename(title: "a"))
    #expect(shared.status.version == 2 && shared.store.state.state.title == "a")
    await shared.close()
  }

  @Test func sendersAreForgottenThereToo() {
    var table = ReplicatedTable()
    table.count(Entry.Header("a", 1), at: 1)
    table.pass(110_000)
    #expect(table.position == 110_000 && table.floor == 10_000 && table.senders.isEmpty)
  }
}
