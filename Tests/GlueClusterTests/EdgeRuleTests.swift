import Glue
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// Decoding, announcing and removing, by random logs that the rules' own code writes and reduces.
///
/// Positions jump, so that senders are forgotten. Readers may be idle for any time, appends are
/// refused or come late, and replicas end with and without a word.
@Suite struct EdgeRuleTests {
  @Test(arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 60)))
  func liveReplicasAreAskedAndReadWhatIsSent(seed: UInt64) throws {
    var cluster = Cluster(seed: seed)
    for _ in 0..<150 { try cluster.step() }
    try cluster.calm()
  }
}

/// One start of a replica.
private struct Machine {
  let label: String
  let sender: String
  let isNew: Bool
  let program: Program<Lines>
  var outgoing: Outgoing
  var replicated = Replicated(state: Lines(), local: ())
  var read = 0

  /// The position of its first counted entry.
  var announced: LogPosition?

  /// It was taken out, or ran at the same time as another start of its label.
  var isExempt = false

  /// It has reported another one with its label.
  var hasMetAnother = false
  var isRunning = true

  init(_ label: String, _ sender: String, isNew: Bool) {
    (self.label, self.sender, self.isNew) = (label, sender, isNew)
    let intents: [RecordedIntent] = [.named("line", LineIntent.self)]
    let format = JournalFormat(
      of: Lines.self, intents: isNew ? intents + [.named("rename", Rename.self)] : intents)
    let version1 = SharedVersion<Lines>.version(1, reducer: lines)
    let version2 = SharedVersion<Lines>.version(2, reducer: lines) { $0.title += "2" }
    program = Program(
      format: format, versions: Versions(isNew ? [version1, version2] : [version1]), me: sender)
    outgoing = Outgoing(
      sender: sender, replica: label, versions: program.versions.known, names: format.intentNames)
  }

  var table: ReplicatedTable { replicated.table }
}

private struct Cluster {
  let seed: UInt64
  var random: SeededGenerator
  var machines: [Machine] = []
  var log: [(position: LogPosition, bytes: [UInt8])] = []
  var late: [[UInt8]] = []
  var counted: [String: Int] = [:]

  /// The senders whose announcements are in the table after a position.
  var live: [LogPosition: [String]] = [:]
  var starts = 0
  var jumps = true
  var refuses = true

  /// The state of a replica that reads all and never stops.
  var judge = Machine("judge", "judge", isNew: true)

  init(seed: UInt64) {
    self.seed = seed
    random = SeededGenerator(seed: seed)
    for label in ["a", "b", "c"] { start(label) }
  }

  mutating func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

  mutating func start(_ label: String) {
    starts += 1
    let others = running(label)
    machines.append(Machine(label, "s\(starts)", isNew: Bool.random(using: &random)))
    if !others.isEmpty { exempt(label) }
  }

  func running(_ label: String) -> [Int] {
    machines.indices.filter { machines[$0].isRunning && machines[$0].label == label }
  }

  mutating func exempt(_ label: String) {
    for index in running(label) { machines[index].isExempt = true }
  }

  /// Puts an entry at the end, sometimes far behind the one before.
  mutating func append(_ bytes: [UInt8]) throws {
    let last = log.last?.position ?? 0
    let jump =
      jumps && chance(12) ? (last / 10_000 + Int.random(in: 1...8, using: &random)) * 10_000 : 0
    log.append((max(jump, last + 1), bytes))
    var judge = judge
    try reduce(&judge)
    self.judge = judge
  }

  mutating func step() throws {
    let live = machines.indices.filter { machines[$0].isRunning }
    guard let index = live.randomElement(using: &random) else { return start("a") }
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<4: try read(index)
    case 4..<8: try send(LineIntent.add("\(log.count)"), from: index)
    case 8..<10: if machines[index].isNew { try send(Rename(title: ""), from: index) }
    case 10: for bytes in late where chance(2) { try append(bytes) }
    case 11: try end(index, saysSo: chance(2))
    case 12:
      let label = ["a", "b", "c"].randomElement(using: &random)!
      if !chance(4) { for index in running(label) { try end(index, saysSo: chance(2)) } }
      start(label)
    case 13: try remove(by: index)
    case 14: try upgrade(by: index)
    default: try write(index)
    }
  }

  /// Reads the rest of the log, and announces the machine if that is missing.
  mutating func read(_ index: Int) throws {
    var machine = machines[index]
    try reduce(&machine)
    machine.outgoing.hasBegun = true
    let mustAnnounce = machine.outgoing.mustAnnounce(machine.table)
    machines[index] = machine
    if machine.isRunning, mustAnnounce { queue([], [], nil, from: index) }
    if machine.isRunning { try write(index) }
  }

  mutating func reduce(_ machine: inout Machine) throws {
    while machine.isRunning, machine.read < log.count {
      let (position, bytes) = log[machine.read]
      machine.read += 1
      try reduce(bytes, at: position, &machine)
    }
  }

  mutating func reduce(_ bytes: [UInt8], at position: LogPosition, _ machine: inout Machine) throws
  {
    let header = try Entry.header(of: bytes)
    let before = machine.table
    let outcome = before.outcome(of: header)
    let next = before.upgrade(by: header, at: position)
    if machine.program.versions[next ?? before.version(at: header)] == nil {
      machine.isRunning = false
      let wasAsked = machine.isExempt || machine.announced == nil
      #expect(wasAsked, "seed \(seed): \(machine.sender) knows 1 and was left behind")
      return
    }
    var intents: [any Intent] = []
    if outcome == .reduced {
      do { intents = try Entry.intents(in: bytes, machine.program.format) } catch {
        machine.isRunning = false
        let hadAnnounced = live[header.seen.position]?.contains(machine.sender) ?? false
        #expect(
          !hadAnnounced || machine.isExempt, "seed \(seed): \(machine.sender) can't read \(header)")
        return
      }
    }
    _ = machine.replicated.reduce(header, intents, at: position, by: machine.program)
    let isMine = header.sender == machine.sender
    if isMine, outcome == .reduced {
      _ = machine.outgoing.reduced(header.number, at: position)
      machine.announced = machine.announced ?? position
    }
    if let mine = machine.table.senders[machine.sender], machine.outgoing.meets(header, mine) {
      machine.hasMetAnother = true
      _ = machine.outgoing.add(Outgoing.Waiting(lines: [], deadline: .zero) { _ in })
    }
    if isMine, case .void = outcome { _ = machine.outgoing.giveUp(header.number, .notSent("")) }
    if machine.sender == "judge", outcome == .reduced { judge(header) }
  }

  /// Each sender's entries count once, in order, whether or not its label was taken out.
  mutating func judge(_ header: Entry.Header) {
    #expect(counted[header.sender, default: 0] < header.number, "seed \(seed): \(header) again")
    counted[header.sender] = header.number
    live[judge.table.position] = judge.table.senders.filter { $0.value.names != nil }.map(\.key)
  }

  mutating func send(_ intent: any Intent, from index: Int) throws {
    let format = machines[index].program.format
    // The line was decoded once.
    let line = try format.decodableLine(of: intent)
    queue([line], format.names(in: intent), nil, from: index)
    try write(index)
  }

  mutating func queue(_ lines: [[UInt8]], _ names: [String], _ act: Entry.Act?, from index: Int) {
    _ = machines[index].outgoing.add(
      Outgoing.Waiting(lines: lines, names: names, act: act, deadline: .zero) { _ in })
  }

  /// Appends what waits, unless it is refused, or comes late, or both.
  mutating func write(_ index: Int) throws {
    let refuses = refuses && chance(4)
    let table = machines[index].table
    _ = machines[index].outgoing.refuse(table)
    guard let next = machines[index].outgoing.next(table) else { return }
    let (header, bytes) = (next.header, try Entry.bytes(next.header, next.lines))
    if refuses || chance(6) { late.append(bytes) }
    if refuses {
      _ = machines[index].outgoing.giveUp(header.number, nil)
    } else {
      try append(bytes)
    }
  }

  mutating func end(_ index: Int, saysSo: Bool) throws {
    if saysSo {
      queue([], [], .gone, from: index)
      try write(index)
    }
    machines[index].isRunning = false
  }

  /// Takes a label out, mostly one that has ended.
  mutating func remove(by index: Int) throws {
    let label = ["a", "b", "c"].randomElement(using: &random)!
    guard machines[index].label != label, running(label).isEmpty || chance(8) else { return }
    try read(index)
    guard machines[index].isRunning else { return }
    let sender = String(random.next(), radix: 36)
    let header = Entry.end(
      of: label, knows: machines[index].program.versions.known.upperBound,
      seen: machines[index].table.seen, sender)
    let bytes = try Entry.bytes(header, [])
    exempt(label)
    try append(bytes)
    if chance(2) { late.append(bytes) }
    #expect(judge.table.senders.values.allSatisfy { $0.replica != label || $0.isGone })
  }

  /// Looks twice; meanwhile live replicas read once, and announce themselves.
  mutating func upgrade(by index: Int) throws {
    guard machines[index].isNew else { return }
    refuses = false
    defer { (jumps, refuses) = (true, true) }
    for look in 1...2 {
      jumps = look == 1
      for other in machines.indices where machines[other].isRunning { try read(other) }
    }
    try read(index)
    let upgrading = machines[index]
    guard upgrading.isRunning, upgrading.table.version == 1 else { return }
    let table = upgrading.table.withoutRivals(of: upgrading.sender, labeled: upgrading.label)
    if table.unready(for: 2).isEmpty {
      for machine in machines where machine.isRunning && !machine.isNew && machine.read > 0 {
        #expect(machine.isExempt, "seed \(seed): \(machine.sender) is live and isn't asked")
      }
      queue([], [], .upgrade(to: 2, without: []), from: index)
      try write(index)
    }
  }

  /// All read to the end, announce themselves, and agree; then no more is sent.
  mutating func calm() throws {
    (jumps, refuses) = (false, false)
    for bytes in late { try append(bytes) }
    var last = 0
    for _ in 1...4 {
      last = log.count
      for index in machines.indices where machines[index].isRunning {
        try read(index)
      }
    }
    #expect(log.count == last, "seed \(seed)")
    for var machine in machines where machine.isRunning {
      try reduce(&machine)
      #expect(machine.table == judge.table && machine.replicated.state == judge.replicated.state)
      try judge(machine)
    }
    for machine in machines where machine.hasMetAnother {
      #expect(machine.isExempt, "seed \(seed): \(machine.sender) ran alone")
    }
  }

  /// A machine that runs is the only one of its label that isn't gone, or it is gone and says so.
  func judge(_ machine: Machine) throws {
    let known = try #require(judge.table.senders[machine.sender], "seed \(seed)")
    if known.isGone {
      #expect(machine.isExempt && machine.hasMetAnother, "seed \(seed): \(machine.sender)")
    } else {
      let live = judge.table.senders.filter {
        $0.value.replica == machine.label && !$0.value.isGone
      }
      #expect(live.map(\.key) == [machine.sender], "seed \(seed)")
      #expect(known.names != nil, "seed \(seed): \(machine.sender)")
    }
  }
}
