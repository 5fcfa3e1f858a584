import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// The rules of upgrades, by random logs that programs of three ages reduce.
@Suite struct UpgradeRuleTests {
  private struct Machine {
    var replicated = Replicated(state: Lines(), local: ())
    let program: Program<Lines>

    init(_ newest: Int) {
      let versions = (1...newest).map { number in
        SharedVersion<Lines>.version(number, reducer: lines) { $0.title += "\(number)" }
      }
      program = Program(format: lineFormat, versions: Versions(versions), me: "me")
    }

    /// Reduces an entry as a replica does; false where the program has to stop.
    mutating func reduce(_ header: Entry.Header, at position: LogPosition) -> Bool {
      let (table, outcome) = (replicated.table, replicated.table.outcome(of: header))
      if let next = table.upgrade(by: header, at: position), program.versions[next] == nil {
        return false
      }
      let intents = outcome == .reduced ? [LineIntent.add("\(position)")] : []
      _ = replicated.reduce(header, intents, at: position, by: program)
      return true
    }
  }

  @Test(arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 500)))
  func programsOfAllAgesAgreeUntilTheyStop(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var machines = (1...3).map(Machine.init)
    var running = Set(0..<3)
    var numbers: [String: Int] = [:]
    for position in 1...120 {
      let start = Int.random(in: 0..<8, using: &random)
      let (sender, label) = ("s\(start)", "r\(start % 4)")
      numbers[sender, default: 0] += 1
      let version = machines[2].replicated.table.version
      var header = Entry.Header(sender, numbers[sender]!, knows: 1 + start % 3)
      header.replica = label
      if Bool.random(using: &random) { header.seen = machines[2].replicated.table.seen }
      header.needs = Bool.random(using: &random) ? Int.random(in: 1...3, using: &random) : nil
      header.act =
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          .upgrade(
            to: Int.random(in: 2...3, using: &random),
            without: Bool.random(using: &random) ? ["r0", "r\(start % 4)"] : [])
        case 1: .gone
        case 2: .claim(after: machines[2].replicated.table.owner.revision)
        default: nil
        }
      let before = machines[2].replicated.table
      for index in running where !machines[index].reduce(header, at: position) {
        running.remove(index)
      }
      let after = machines[2].replicated
      for index in running {
        #expect(machines[index].replicated.state == after.state, "seed \(seed) at \(position)")
        #expect(machines[index].replicated.table == after.table, "seed \(seed) at \(position)")
      }
      guard after.table.version > max(before.version, 1) else { continue }
      #expect(after.table.version == max(version, 1) + 1)
      guard case .upgrade(let next, let without) = header.act else {
        return #expect(Bool(false), "upgraded by \(header)")
      }
      let endsOthers = before.senders[header.sender]?.isGone != true
      for (name, sender) in before.senders where !sender.isGone && sender.knows < next {
        let isEnded =
          endsOthers && name != header.sender && sender.replica == label
          && sender.first <= header.seen.position
        #expect(
          isEnded || without.contains(sender.replica), "seed \(seed): \(sender) was left behind")
      }
      if let owner = after.table.owner.sender {
        #expect(after.table.senders[owner]!.knows >= next)
      }
    }
    #expect(running.contains(2), "a program that knows all versions stopped")
    let final = machines[2].replicated
    #expect(final.state.title == ["", "", "2", "23"][final.table.version])
  }

  @Test func aNewerStartReplacesTheOlderOneOfItsLabel() {
    var table = ReplicatedTable()
    table.count(Entry.Header("old", 1), at: 1)
    var header = Entry.Header("new", 1, knows: 2)
    header.replica = "old"
    header.seen = table.seen
    #expect(table.unready(for: 2) == ["old"])
    table.count(header, at: 2)
    #expect(table.unready(for: 2) == [])
  }

  @Test func anUpgradeDoesNotWaitForADeadStartOfItsReplica() {
    var table = ReplicatedTable()
    for (position, sender) in ["dead", "living", "other"].enumerated() {
      var header = Entry.Header(sender, 1, knows: sender == "dead" ? 1 : 2)
      header.replica = sender == "other" ? "b" : "a"
      table.count(header, at: position + 1)
    }
    #expect(table.withoutRivals(of: "living", labeled: "a").unready(for: 2) == [])
    #expect(table.withoutRivals(of: "missing", labeled: "a").unready(for: 2) == [])
    #expect(table.withoutRivals(of: "other", labeled: "b").unready(for: 2) == ["a"])
    table.end("living")
    #expect(table.withoutRivals(of: "living", labeled: "a").unready(for: 2) == ["a"])
  }
}
