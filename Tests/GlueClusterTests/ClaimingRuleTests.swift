import Glue
import ProcessSupport
import Testing

@testable import GlueCluster

/// Claiming, by random cuts, claims and effects, whose entries the rule's own code reduces.
@Suite struct ClaimingRuleTests {
  /// A part of the rule that is left out on purpose.
  enum Omission: CaseIterable {
    case end, proof, limit
  }

  @Test(arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 60)))
  func noEffectBeginsUnderAnOldRevisionAndNoOwnerThatIsHeardIsDeposed(seed: UInt64) {
    #expect(violation(seed, omitting: nil) == nil, "seed \(seed)")
  }

  /// Otherwise the other tests would prove little.
  @Test func ownersAreReplacedOften() {
    var claims = 0
    for seed in UInt64(0)..<20 {
      var cluster = ClaimingCluster(seed: seed, omission: nil)
      for _ in 0..<300 { cluster.step() }
      claims += cluster.claims
    }
    #expect(claims > 40)
  }

  @Test(arguments: Omission.allCases)
  func eachPartThatIsLeftOutIsFound(_ omission: Omission) {
    #expect((0..<200).contains { violation($0, omitting: omission) != nil })
  }

  private func violation(_ seed: UInt64, omitting omission: Omission?) -> String? {
    var cluster = ClaimingCluster(seed: seed, omission: omission)
    for _ in 0..<300 { cluster.step() }
    return cluster.violation
  }
}

private struct ClaimingCluster {
  private struct Machine {
    let sender: String
    var number = 0
    var read = 0
    var replicated = Replicated(state: Lines(), local: ())

    /// Until then no entry passes, either way.
    var cut = 0

    /// When the owner was last heard, as far as this machine knows.
    var heard = 0
    var last: (owner: EffectOwner, number: Int) = (EffectOwner(), 0)

    /// A claim that waits for the link, and when it is given up.
    var queued: (claim: Entry.Act, until: Int)?
    var begun: Set<FencingToken> = []
  }

  let omission: ClaimingRuleTests.Omission?
  var violation: String?
  var claims = 0
  private var random: SeededGenerator
  private var machines = (0..<3).map { Machine(sender: "s\($0)") }
  private var judge = Replicated(state: Lines(), local: ())
  private var log: [(header: Entry.Header, intents: [LineIntent])] = []
  private var now = 0
  private let lease = 9
  private let page = 4

  init(seed: UInt64, omission: ClaimingRuleTests.Omission?) {
    (self.omission, random) = (omission, SeededGenerator(seed: seed))
  }

  mutating func step() {
    now += 1
    for index in machines.indices.shuffled(using: &random) {
      if machines[index].cut <= now, Int.random(in: 0..<20, using: &random) == 0 {
        machines[index].cut = now + Int.random(in: 1...20, using: &random)
      }
      if machines[index].cut <= now { pass(index) }
      stand(index)
    }
  }

  /// Lets a machine use its link: it sends what was queued before it reads, and reads a page.
  private mutating func pass(_ index: Int) {
    if let (claim, until) = machines[index].queued, until > now { append(index, claim) }
    machines[index].queued = nil
    if Int.random(in: 0..<4, using: &random) == 0 { append(index, nil, .order("\(log.count)")) }
    if judge.table.owner.sender == machines[index].sender { append(index, nil) }
    read(index, upTo: min(log.count, machines[index].read + page))
    guard let owed = machines[index].replicated.table.owed.first else { return }
    let owner = machines[index].replicated.table.owner
    if owner.sender == machines[index].sender, Bool.random(using: &random) {
      append(index, .done(owed.id, revision: owner.revision))
    }
  }

  /// Claims if the owner was silent for the lease.
  private mutating func stand(_ index: Int) {
    let known = machines[index].last
    guard known.owner.sender != machines[index].sender,
      known.owner.sender == nil || now - machines[index].heard > lease
    else { return }
    let claim = Entry.Act.claim(after: known.owner.revision)
    if omission != .proof {
      guard machines[index].cut <= now else { return }
      append(index, nil)
      read(index, upTo: log.count)
      guard machines[index].last == known else { return }
    }
    // The link may go down between the proof and the claim.
    if machines[index].cut <= now, Int.random(in: 0..<4, using: &random) == 0 {
      machines[index].cut = now + Int.random(in: 1...20, using: &random)
    }
    if machines[index].cut <= now {
      append(index, claim)
    } else {
      machines[index].queued = (claim, now + (omission == .limit ? 15 : lease / 3))
    }
  }

  private mutating func append(_ index: Int, _ act: Entry.Act?, _ intents: LineIntent...) {
    machines[index].number += 1
    let sender = machines[index].sender
    let header = Entry.Header(sender, machines[index].number, act: act)
    log.append((header, intents))
    let before = self.judge.table.owner
    var judge = judge
    reduce(log.count, &judge, by: "judge")
    self.judge = judge
    guard before != judge.table.owner else { return }
    claims += 1
    let deposed = machines.first { $0.sender == before.sender }
    // It was heard in the last third of the lease, and the claim may have waited for another third.
    if let deposed, now - deposed.cut > lease / 3 + 1, now - deposed.heard <= lease / 3 + 1 {
      violation = violation ?? "\(sender) deposed \(deposed.sender) at \(log.count)"
    }
  }

  private mutating func reduce(
    _ position: LogPosition, _ replicated: inout Replicated<Lines, Void>, by me: String
  ) {
    let (header, intents) = log[position - 1]
    let program = Program(format: lineFormat, versions: Versions([first]), me: me)
    _ = replicated.reduce(header, intents, at: position, by: program)
  }

  private mutating func read(_ index: Int, upTo end: LogPosition) {
    var machine = machines[index]
    while machine.read < end {
      machine.read += 1
      reduce(machine.read, &machine.replicated, by: machine.sender)
      if omission == .end { begin(&machine) }
    }
    let table = machine.replicated.table
    let known = (owner: table.owner, number: table.owner.sender.map(table.number) ?? 0)
    if known != machine.last { (machine.last, machine.heard) = (known, now) }
    if machine.read == log.count { begin(&machine) }
    machines[index] = machine
  }

  /// Effects begin; the judge has read what was readable.
  private mutating func begin(_ machine: inout Machine) {
    let table = machine.replicated.table
    guard table.owner.sender == machine.sender else { return }
    for owed in table.owed {
      let token = FencingToken(revision: table.owner.revision, id: owed.id)
      guard machine.begun.insert(token).inserted, judge.table.owner != table.owner else { continue }
      violation = violation ?? "\(machine.sender) begins \(owed.id) after the next owner's claim"
    }
  }
}
