import Glue
import GlueJournal
import Testing

@testable import GlueCluster

/// The table of senders shrinks, and an entry still counts at most once.
@Suite struct TableTests {
  private func header(_ sender: String, _ number: Int, seen: LogPosition) -> Entry.Header {
    Entry.Header(
      sender: sender, replica: sender, number: number, knows: 1,
      seen: Entry.Seen(position: seen, digest: 0))
  }

  @Test func sendersAreForgottenWhenAllHaveReadFarEnough() {
    var table = ReplicatedTable()
    table.count(header("a", 1, seen: 0), at: 1)
    table.count(header("b", 1, seen: 1), at: 50_000)
    table.count(header("c", 1, seen: 1), at: 100_000)
    #expect(table.floor == 0 && table.senders.count == 3)
    table.count(header("c", 2, seen: 1), at: 110_000)
    #expect(table.floor == 10_000 && table.senders.keys.sorted() == ["b", "c"])
    table.count(header("c", 3, seen: 1), at: 150_001)
    #expect(table.senders.count == 2, "only positions of the protocol forget")
    table.count(header("c", 4, seen: 1), at: 160_000)
    #expect(table.senders.keys.sorted() == ["c"])
  }

  @Test func aLateEntryOfAForgottenSenderIsVoidAndAFreshOneCounts() {
    var table = ReplicatedTable()
    table.count(header("a", 1, seen: 0), at: 1)
    table.count(header("b", 1, seen: 1), at: 110_000)
    let late = header("a", 1, seen: 0)
    guard case .void = table.outcome(of: late) else {
      return #expect(Bool(false), "a late copy is \(table.outcome(of: late))")
    }
    table.count(late, at: 110_001)
    #expect(table.senders["a"] == nil)
    let fresh = header("a", 2, seen: 110_001)
    #expect(table.outcome(of: fresh) == .reduced)
    table.count(fresh, at: 110_002)
    #expect(table.outcome(of: fresh) == .repeated)
  }

  /// One that was forgotten meanwhile is in the table with its names again.
  @Test func theFirstEntryAfterAPauseAnnouncesItsSenderAgain() {
    var outgoing = Outgoing(sender: "a", replica: "a", versions: 1...1, names: ["line"])
    outgoing.hasBegun = true
    func next(_ table: ReplicatedTable) -> Entry.Header? {
      _ = outgoing.add(Outgoing.Waiting(lines: [], deadline: .zero) { _ in })
      return outgoing.next(table)?.header
    }
    var table = ReplicatedTable()
    table.count(next(table)!, at: 1)
    #expect(next(table)?.names == nil)
    table.count(header("b", 1, seen: 1), at: 99_999)
    let late = next(table)!
    table.count(header("b", 2, seen: 1), at: 110_000)
    #expect(table.senders["a"] == nil)
    table.count(late, at: 110_001)
    #expect(table.senders["a"]?.names == ["line"])
  }

  /// Copies of entries come at any time, of senders that are idle for any time.
  @Test(arguments: UInt64(1)...50)
  func eachEntryCountsAtMostOnceAndInItsSendersOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var table = ReplicatedTable()
    var position = 0
    var numbers: [String: Int] = [:]
    var flying: [Entry.Header] = []
    var counted: [String: Int] = [:]
    for _ in 0..<600 {
      let sender = "\(Int.random(in: 0..<6, using: &random))"
      if Int.random(in: 0..<3, using: &random) == 0 {
        numbers[sender, default: 0] += 1
        flying.append(header(sender, numbers[sender]!, seen: position))
      }
      guard let entry = flying.randomElement(using: &random) else { continue }
      // The next position that matters: one of the protocol, or any other.
      position += Int.random(in: 1...3, using: &random)
      if Bool.random(using: &random) { position = (position / 10_000 + 1) * 10_000 }
      if table.outcome(of: entry) == .reduced {
        #expect(counted[entry.sender, default: 0] < entry.number, "seed \(seed): \(entry)")
        counted[entry.sender] = entry.number
      }
      table.count(entry, at: position)
    }
    #expect(table.floor > 0)
  }

  @Test func theFirstEntryOfALogMayNeedTheVersionThatItBeginsWith() {
    var first = header("a", 1, seen: 0)
    first.needs = 2
    first.begins = 2
    #expect(ReplicatedTable().outcome(of: first) == .reduced)
    first.begins = 1
    #expect(
      ReplicatedTable().outcome(of: first) == .void("It needs version 2, and the log is at 1."))
  }

  @Test func theSenderOfAVoidEntryGetsNotSent() {
    var outgoing = Outgoing(sender: "a", replica: "a", versions: 1...1)
    outgoing.hasBegun = true
    let answers = Noted<Outgoing.Answer>()
    _ = outgoing.add(Outgoing.Waiting(lines: [], deadline: .zero) { answers.add($0) })
    let number = outgoing.next(ReplicatedTable())!.header.number
    for (reply, answer) in outgoing.giveUp(number, .notSent("void")) { reply(answer) }
    #expect(answers.all == [.failure(.notSent("void"))])
  }

  @Test func aSnapshotWithoutTheSenderLeavesItsTicketsUnknown() {
    var outgoing = Outgoing(sender: "a", replica: "a", versions: 1...1)
    outgoing.hasBegun = true
    _ = outgoing.add(Outgoing.Waiting(lines: [], deadline: .zero) { _ in })
    let number = outgoing.next(ReplicatedTable())!.header.number
    _ = outgoing.giveUp(number, nil)
    var table = ReplicatedTable()
    table.position = 200_000
    _ = outgoing.restored(table)
    _ = outgoing.reduced(number + 1, at: 200_001)
    #expect(outgoing.outcome(of: number) == nil, "it may have been reduced before")
  }

  /// A later session's log may have lost the entry, and a snapshot doesn't show that.
  @Test(arguments: [false, true])
  func anAcknowledgementCountsInItsSessionOnly(isLater: Bool) {
    var outgoing = Outgoing(sender: "a", replica: "a", versions: 1...1)
    outgoing.hasBegun = true
    outgoing.enterSession("1")
    let answers = Noted<Outgoing.Answer>()
    var table = ReplicatedTable()
    for position in [9, 10] {
      _ = outgoing.add(Outgoing.Waiting(lines: [], deadline: .zero) { answers.add($0) })
      let header = outgoing.next(table)!.header
      outgoing.appended(header.number, at: position)
      if isLater { outgoing.enterSession("2") }
      table.count(header, at: position)
    }
    table.position = 20
    for (reply, answer) in outgoing.restored(table) { reply(answer) }
    #expect((answers.all[0] == .success(9)) == !isLater)
  }

  @Test func nothingIsSentAfterALossBeforeTheLogIsReadToItsEnd() {
    var outgoing = Outgoing(sender: "a", replica: "a", versions: 1...1)
    outgoing.hasBegun = true
    _ = outgoing.goBack(to: 1)
    outgoing.enterSession("2")
    _ = outgoing.add(Outgoing.Waiting(lines: [], deadline: .zero) { _ in })
    #expect(outgoing.next(ReplicatedTable())?.header == nil)
    outgoing.hasBegun = true
    #expect(outgoing.next(ReplicatedTable())?.header.number == 1)
  }
}
