import Foundation
import Glue
import GlueClusterTesting
import GlueJournal
import Testing

@testable import GlueCluster

/// Replicas whose programs were built with an earlier version of this module share a log with newer
/// ones.
@Suite struct EarlierModuleTests {
  let log = MemoryLog()

  /// The header that the first version of this module reads.
  private struct EarlierHeader: Decodable {
    let sender: String
    let replica: String
    let number: Int
    let knows: Int
    let needs: Int?
    let begins: Int?
    let act: EarlierAct?
    let seen: Entry.Seen
  }

  private enum EarlierAct: Decodable {
    case claim(after: Int)
    case done(OwedID, revision: Int)
    case gone
    case upgrade(to: Int, without: [String])
    case kept(LogPosition, version: Int, StateDigest?)
    case differs
  }

  private struct EarlierTable: Decodable {
    let senders: [String: Known]

    struct Known: Decodable {
      let number: Int
      let last: LogPosition
      let replica: String
      let knows: Int
      let isGone: Bool
      let differs: Bool
    }
  }

  @Test func theirEntriesAndSnapshotsAreRead() async throws {
    let snapshot = """
      {"log":"first","table":{"digest":7,"floor":0,"kept":{"position":0,"version":0},"owed":[],\
      "owner":{"revision":0},"position":2,"senders":{"x":{"differs":false,"isGone":false,\
      "knows":1,"last":2,"number":2,"replica":"old"}},"version":1}}
      {"lines":["a"],"mailed":[],"title":""}
      """
    let entry = """
      {"knows":1,"number":3,"replica":"old","seen":{"digest":7,"position":2},"sender":"x"}
      ["line",{"add":{"_0":"b"}}]
      """
    for _ in 1...2 { log.append([]) }
    try await log.connection().keep(
      LogSnapshot(position: 2, bytes: Array(snapshot.utf8)), trimmingBelow: 2)
    log.append(Array(entry.utf8))
    let new = replica(of: log.connection(), "new")
    try await new.send(LineIntent.add("c"))
    #expect(new.store.state.state.lines == ["a", "b", "c"])
    #expect(new.status.replicas == ["old": 1, "new": 1])
    await new.close()
  }

  /// An earlier replica stops at an entry that it can't read.
  @Test func theyReadWhatIsWrittenNow() async throws {
    let dead = replica(of: log.connection(), "dead")
    try await dead.catchUp()
    dead.crash()
    let new = replica(of: log.connection(), "new", versions: [first, second])
    new.own(Mail.self) { mail, _ in [LineIntent.mailed(mail.text)] }
    try await new.send(LineIntent.order("book"))
    for await mailed in new.store.values(of: \.state.mailed) where mailed == ["book"] { break }
    try await new.remove(replica: "dead")
    try await new.upgrade(to: 2)
    for await version in new.store.values(of: \.table.kept.version) where version == 2 { break }
    let table = new.store.state.table
    await new.close()

    let entries = try await log.connection().read(from: 1, within: .zero).entries
    let headers = try entries.map { entry in
      let line = Data(entry.bytes.prefix { $0 != newline })
      return try JSONDecoder().decode(EarlierHeader.self, from: line)
    }
    #expect(headers.map(\.sender).contains { !table.senders.keys.contains($0) } == false)
    let read = try JSONDecoder().decode(
      EarlierTable.self, from: try JSONEncoder().encode(table))
    #expect(read.senders.values.filter { !$0.isGone }.map(\.replica) == ["new"])
  }
}
