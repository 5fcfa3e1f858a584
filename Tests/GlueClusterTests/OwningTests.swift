import Glue
import GlueJournal
import Synchronization
import ProcessSupport
import Testing

@testable import GlueCluster

/// The rules of ownership, by calling the reducer with a log written by hand.
@Suite struct OwnershipRuleTests {
  private struct Written {
    var replicated = Replicated(state: Lines(), local: ())
    var numbers: [String: Int] = [:]

    @discardableResult
    mutating func append(
      _ sender: String, _ act: Entry.Act? = nil, _ intents: LineIntent...
    ) -> [any Effect] {
      numbers[sender, default: 0] += 1
      let header = Entry.Header(sender, numbers[sender]!, act: act)
      let program = Program(format: lineFormat, versions: Versions([first]), me: "me")
      return replicated.reduce(header, intents, at: replicated.position + 1, by: program)
    }
  }

  @Test func theFirstClaimWins() {
    var log = Written()
    log.append("a", .claim(after: 0))
    log.append("b", .claim(after: 0))
    #expect(log.replicated.table.owner == EffectOwner(sender: "a", revision: 1))
    log.append("b", .claim(after: 1))
    #expect(log.replicated.table.owner == EffectOwner(sender: "b", revision: 3))
  }

  @Test func anOwnedEffectIsStartedByNoSenderAndOwedUntilItIsDone() {
    var log = Written()
    log.append("a", .claim(after: 0))
    #expect(log.append("me", nil, .order("book")).isEmpty)
    let id = OwedID(position: 2, index: 0)
    #expect(log.replicated.table.owed.map(\.id) == [id])
    log.append("a", .done(id, revision: 1), .mailed("book"))
    #expect(log.replicated.table.owed == [] && log.replicated.state.mailed == ["book"])
  }

  @Test func theResultOfAnOlderOwnerIsNotReduced() {
    var log = Written()
    log.append("a", .claim(after: 0))
    log.append("me", nil, .order("book"))
    let id = OwedID(position: 2, index: 0)
    log.append("b", .claim(after: 1))
    log.append("a", .done(id, revision: 1), .mailed("by a"))
    #expect(log.replicated.state.mailed == [] && log.replicated.table.owed.count == 1)
    log.append("b", .done(id, revision: 3), .mailed("by b"))
    log.append("b", .done(id, revision: 3), .mailed("by b again"))
    #expect(log.replicated.state.mailed == ["by b"])
  }
}

@Suite(.tags(.threads), .jumpingTime) struct OwningTests {
  @Test(arguments: UInt64(1)...10)
  func eachOwnedEffectIsDoneAndItsResultCountsOnce(seed: UInt64) async throws {
    let log = MemoryLog()
    let run = Run(log: log, seed: seed, replicas: 3, lease: .seconds(6))
    let done = Locked<[String: Set<OwedID>]>([:])
    let revisions = Locked<Set<Int>>([])
    for replica in run.replicas {
      replica.own(Mail.self) { mail, token in
        done.withLock { _ = $0[mail.text, default: []].insert(token.id) }
        revisions.withLock { _ = $0.insert(token.revision) }
        await Task.yield()
        return [LineIntent.mailed(mail.text)]
      }
    }
    let orders = (0..<20).map(String.init)
    for (index, order) in orders.enumerated() {
      // The owner is cut off for longer than its lease, and comes back when another has taken over.
      run.connections[(index + 2) % 3].setCut(true)
      run.connections[index % 3].setCut(false)
      try await run.replicas[index % 3].sendSurely(LineIntent.order(order))
      try await run.clock.sleep(for: .seconds(10))
    }
    run.calm()
    for connection in run.connections { connection.setCut(false) }
    for await mailed in run.replicas[0].store.values(of: \.state.mailed)
    where mailed.count >= orders.count { break }
    let position = try await run.replicas[0].catchUp()
    for replica in run.replicas {
      await replica.reached(position)
      #expect(replica.store.state.state.mailed.sorted() == orders.sorted())
      await replica.close()
    }
    #expect(done.withLock { $0.values.allSatisfy { $0.count == 1 } && $0.count == orders.count })
    #expect(revisions.withLock { $0.count } > 5, "several owners have done some")
  }

  /// A Send that must happen, by a JournalFormat: the owner sends its intent.
  @Test func aSendThatTheFormatNamesHappensOnce() async throws {
    struct Remind: Intent, Codable {}
    let format = JournalFormat(
      of: Lines.self, intents: [.named("line", LineIntent.self), .named("remind", Remind.self)],
      effects: [.sends("send")])
    let reminding = SharedVersion<Lines>.version(1) { state, intent in
      if intent is Remind { return [Send(LineIntent.add("reminded"))] }
      return lines(state: &state, intent: intent as! LineIntent)
    }
    let log = MemoryLog()
    let replicas = ["a", "b"].map {
      replica(of: log.connection(), $0, versions: [reminding], format: format)
    }
    try await replicas[0].send(Remind())
    for await lines in replicas[1].store.values(of: \.state.lines) where !lines.isEmpty { break }
    for replica in replicas {
      try await replica.catchUp()
      #expect(replica.store.state.state.lines == ["reminded"] && replica.status.owed == 0)
    }
    for replica in replicas { await replica.close() }
  }
}
