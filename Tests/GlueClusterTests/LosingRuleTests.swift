import Glue
import GlueClusterTesting
import GlueJournal
import ProcessSupport
import Testing

@testable import GlueCluster

/// E3, by random logs that lose entries, which the rule's own code writes, compares and reduces.
@Suite struct LosingRuleTests {
  @Test(arguments: Trials.seeds(Trials.number("GLUE_FUZZ", or: 60)))
  func replicasNeverDivergeAndEndEqual(seed: UInt64) async throws {
    var cluster = LosingCluster(seed: seed)
    for _ in 0..<120 where cluster.violation == nil { try await cluster.step() }
    try await cluster.calm()
    #expect(cluster.violation == nil, "seed \(seed)")
  }
}

private struct LosingCluster {
  private struct Machine {
    let sender: String
    var outgoing: Outgoing
    var replicated = Replicated(state: Lines(), local: ())
    var place = Place()

    /// The digests before its last entry.
    var before: [UInt64] = []
    var inFlight: (number: Int, bytes: [UInt8])?

    init(_ sender: String) {
      self.sender = sender
      outgoing = Outgoing(sender: sender, replica: sender, versions: 1...1)
      outgoing.hasBegun = true
    }
  }

  var violation: String?
  private var random: SeededGenerator
  private var machines = (0..<3).map { Machine("s\($0)") }
  private var log: [[UInt8]] = []

  /// Its server may keep it while the log loses the entry.
  private var snapshot: ReadSnapshot<Lines>?
  private var session = 1
  private var count = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func step() async throws {
    let index = machines.indices.randomElement(using: &random)!
    switch Int.random(in: 0..<14, using: &random) {
    case 0..<5: try await read(index)
    case 5..<10: try send(index)
    case 10:
      log.removeLast(min(log.count, Int.random(in: 0...4, using: &random)))
      session += 1
    case 11: session += 1
    case 12: try await keep(index)
    default:
      count += 1
      machines[index] = Machine("s\(count + 2)")
      try await start(&machines[index])
    }
  }

  private func entry(_ position: LogPosition) -> LogEntry? {
    position > log.count ? nil : LogEntry(position: position, bytes: log[position - 1])
  }

  private func has(_ place: Place) async throws -> Bool {
    try await place.isUnchanged { entry($0) }
  }

  /// Begins with the snapshot, if the log has its entry.
  private func start(_ machine: inout Machine) async throws {
    (machine.replicated, machine.place) = (Replicated(state: Lines(), local: ()), Place())
    guard let snapshot else { return }
    var place = Place()
    place.jump(to: snapshot.table.seen, before: snapshot.before)
    guard try await has(place) else { return }
    machine.place = place
    machine.replicated.state = snapshot.state
    machine.replicated.table = snapshot.table
  }

  private mutating func keep(_ index: Int) async throws {
    let machine = machines[index]
    let position = machine.place.position
    guard position > snapshot?.table.position ?? 0, (try await has(machine.place)) else { return }
    snapshot = ReadSnapshot(
      log: "", table: machine.replicated.table, before: machine.before,
      state: machine.replicated.state)
  }

  private mutating func read(_ index: Int) async throws {
    var machine = machines[index]
    defer { machines[index] = machine }
    if machine.place.session != "\(session)" || log.count < machine.place.position {
      machine.outgoing.leaveSession()
      if try await !has(machine.place) {
        try await start(&machine)
        _ = machine.outgoing.goBack(to: 0)
        machine.inFlight = nil
      }
      machine.place.session = "\(session)"
    }
    while let entry = entry(machine.place.position + 1) { try reduce(entry, &machine) }
    machine.outgoing.enterSession("\(session)")
  }

  private mutating func reduce(_ entry: LogEntry, _ machine: inout Machine) throws {
    let header = try Entry.header(of: entry.bytes)
    do { try machine.place.check(header.seen) } catch { violation = violation ?? "\(error)" }
    let table = machine.replicated.table
    let isReduced = table.outcome(of: header) == .reduced
    let intents = isReduced ? try Entry.intents(in: entry.bytes, lineFormat) : []
    let program = Program(format: lineFormat, versions: Versions([first]), me: machine.sender)
    _ = machine.replicated.reduce(header, intents, at: entry.position, by: program)
    machine.replicated.table.digest = digest(of: entry.bytes, after: table.digest)
    machine.place.note(machine.replicated.table.seen, isMine: false)
    machine.place.position = entry.position
    machine.before = machine.place.digests(backTo: header.seen)
    if header.sender == machine.sender, isReduced {
      _ = machine.outgoing.reduced(header.number, at: entry.position)
      if machine.inFlight?.number == header.number { machine.inFlight = nil }
    }
  }

  /// Sends an entry, or tries the last one again; some replies are lost.
  private mutating func send(_ index: Int) throws {
    if machines[index].inFlight == nil {
      guard machines[index].outgoing.session != nil else { return }
      let line = try lineFormat.decodableLine(of: LineIntent.add("\(log.count)"))
      _ = machines[index].outgoing.add(Outgoing.Waiting(lines: [line], deadline: .zero) { _ in })
      guard let next = machines[index].outgoing.next(machines[index].replicated.table) else {
        return
      }
      machines[index].inFlight = (next.header.number, try Entry.bytes(next.header, next.lines))
    }
    guard let (number, bytes) = machines[index].inFlight else { return }
    let current = machines[index].outgoing.attempt(number)?.name == "\(session)"
    if current { log.append(bytes) }
    if Bool.random(using: &random) {
      machines[index].outgoing.failed(number, .unknown("no reply"))
    } else if current {
      machines[index].inFlight = nil
    }
  }

  mutating func calm() async throws {
    for index in machines.indices { try await read(index) }
    for index in machines.indices { try send(index) }
    for index in machines.indices { try await read(index) }
    for machine in machines
    where machine.place.position != log.count
      || machine.replicated.state != machines[0].replicated.state
      || machine.replicated.table != machines[0].replicated.table
    {
      violation = violation ?? "\(machine.sender) has another state"
    }
  }
}
