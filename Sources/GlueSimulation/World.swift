internal import Glue
internal import GlueTesting

/// A simulated world: machines, what surrounds them, and the test that uses them.
///
/// ``simulate(seeds:replaying:faults:twice:within:limits:processes:fileID:filePath:line:column:body:)`` makes one for
/// each seed. Use it only in the body and what that starts.
///
/// `@unchecked Sendable` is sound because locks guard everything that varies.
public final class World: @unchecked Sendable {
  private struct Content: Sendable {
    var random: Xorshift
    var faults: Faults
    var story = Story()
    var failure: String?
    var machines: [any AnyMachine] = []

    /// The number of the next opportunity for each kind of fault, and of those at which one happened.
    var opportunities = Fault.allCases.map(\.first)
    var happened: [Int] = []

    /// How many calls clients have made before the faults stopped.
    var calls = 0
    var isHealed = false
    var tally = Tally()
    var failsOnDivergence = true
  }

  /// The surroundings of a machine, which a restart leaves as they are.
  private struct Surroundings: Sendable {
    /// How wrong the wall clock is.
    var clockError = Duration.zero

    /// Until when the machine can't send, or can't receive.
    var cutOff: [SimulatedProcess.Way: Duration] = [:]
  }

  let simulator: Simulator
  private let seed: UInt64
  private let plan: Plan
  private let content: Locked<Content>

  /// By the names of the machines.
  ///
  /// The C library's clock reads it, so this lock guards nothing else.
  private let surroundings = Locked<[String: Surroundings]>([:])

  /// The process of the test itself, which never crashes.
  let home: SimulatedProcess

  init(seed: UInt64, _ faults: Faults, _ plan: Plan, _ simulator: Simulator) {
    (self.seed, self.plan, self.simulator) = (seed, plan, simulator)
    content = Locked(Content(random: Xorshift(seed: ~seed), faults: faults.of(seed)))
    home = SimulatedProcess("the test", simulator)
    home.world = self
    simulator.beforeStep = { [weak self] process in
      guard let self, process.isUp, process !== home else { return }
      if happens(.crashAtStep) != nil { process.crash("between two steps") }
      if var random = happens(.clockJump) { setClock(of: process, &random) }
    }
  }

  // MARK: - Time and chance

  /// The virtual time, for the test and for what is outside of all machines.
  public var clock: Clock { home.clock }

  /// Picks a number, as the seed decides.
  public func pick<Number: FixedWidthInteger & Sendable>(_ range: ClosedRange<Number>) -> Number {
    content.withLock { .random(in: range, using: &$0.random) }
  }

  /// Picks a time, in whole microseconds, as the seed decides.
  public func pick(_ range: ClosedRange<Duration>) -> Duration {
    content.withLock { .random(in: range, using: &$0.random) }
  }

  func number() -> UInt64 { content.withLock { $0.random.next() } }

  // MARK: - Machines

  /// Adds a machine, and starts its program at once.
  ///
  /// The program starts again, with the files that are left, some time after it has ended. It ends
  /// if the machine crashes, if `start` throws an error, or if the program stops itself: by `exit`, or
  /// by a journal whose files fail. A trap fails the simulation, unless it can be the answer to a file
  /// that failed since that start, or to a bit that changed.
  ///
  /// - Parameters:
  ///   - name: names the machine in the story.
  ///   - start: makes the program from what the ``Node`` gives it instead of the system.
  /// - Returns: the machine.
  public func machine<Program: Sendable>(
    _ name: String, start: @escaping @Sendable (Node) async throws -> Program
  ) -> Machine<Program> {
    let machine = Machine(name, in: self, start)
    content.withLock { content in
      content.machines.append(machine)
      content.tally.machines[name] = content.tally.machines[name] ?? false
    }
    machine.live()
    return machine
  }

  /// Ends all faults: from now on none happens, clocks are right, and machines that are down start, or
  /// start again if their program is older than the last upgrade.
  public func heal() {
    let (isFirst, machines) = content.withLock { content in
      defer { content.isHealed = true }
      content.faults.stop()
      return (!content.isHealed, content.machines)
    }
    if isFirst {
      let now = simulator.now
      content.withLock { content in
        if content.failure == nil { content.story.heal(at: now) }
      }
    }
    surroundings.withLock { $0 = [:] }
    for machine in machines { machine.heal() }
  }

  // MARK: - Checking

  /// Adds a line to the story that a failure prints.
  public func tell(_ line: String) { add(line) }

  /// Adds a line about a fault, which a story always shows.
  func tell(fault line: String) { add(line, isFault: true) }

  private func add(_ line: String, isFault: Bool = false) {
    let now = simulator.now
    content.withLock { content in
      if content.failure == nil { content.story.add(line, at: now, isFault: isFault) }
    }
  }

  /// Fails the simulation unless a condition holds.
  ///
  /// The first failure ends it.
  ///
  /// - Parameters:
  ///   - condition: what must hold.
  ///   - message: says what is wrong otherwise.
  public func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { fail(message()) }
  }

  /// Fails the simulation if something happens with none of its seeds.
  ///
  /// A simulation that never takes a snapshot, for example, checks nothing about snapshots. Call this
  /// where each run comes, such as at the end, because a run that doesn't come there says nothing. A
  /// single seed that you run alone fails for nothing that is missing.
  ///
  /// - Parameters:
  ///   - what: the thing that must happen with some seed, for the message.
  ///   - condition: whether it has happened in this run.
  public func sometimes(_ what: String, _ condition: Bool) {
    note { $0.sometimes[what] = condition || $0.sometimes[what] == true }
  }

  /// Fails the simulation unless something becomes true after the faults have stopped.
  ///
  /// It calls ``heal()`` first. Then it checks the condition every 200 ms of virtual time. An error
  /// that the condition throws counts as false.
  ///
  /// - Parameters:
  ///   - what: the thing that must become true, for the message.
  ///   - limit: how much virtual time that may take.
  ///   - condition: whether it is true.
  public func eventually(
    _ what: String, within limit: Duration = .seconds(60),
    _ condition: @Sendable () async throws -> Bool
  ) async {
    heal()
    let end = simulator.now + limit
    var last = ""
    repeat {
      do {
        if try await condition() { return }
        last = "the condition is false"
      } catch { last = "\(error)" }
      try? await clock.sleep(for: .milliseconds(200))
    } while simulator.now < end
    fail("\(what): not so \(seconds(limit)) after the faults have stopped (\(last))")
  }

  /// The faults that happen from now on.
  public var faults: Faults {
    get { content.withLock { $0.faults } }
    set { content.withLock { $0.faults = newValue } }
  }

  /// Whether the simulation fails when a reducer departs from a journal's recording; true at first.
  public var failsOnDivergence: Bool {
    get { content.withLock { $0.failsOnDivergence } }
    set { content.withLock { $0.failsOnDivergence = newValue } }
  }

  /// Counts what happens.
  func note(_ change: (inout Tally) -> Void) { content.withLock { change(&$0.tally) } }

  func fail(_ message: String) {
    tell("FAILED: \(message)")
    content.withLock { $0.failure = $0.failure ?? message }
    simulator.end(nil)
  }
}

// MARK: - What happens

/// The parts of a run to leave out, to find a shorter one that fails.
struct Plan: Sendable {
  /// The faults that happen, and the calls of clients; nil for those that the seed decides, and for
  /// all.
  var faults: Set<Int>?
  var calls: Set<Int>?

  /// The last call that `calls` is about: later ones are made, so that a client's retries end.
  var lastCall = 0
  var isOldestFirst = false
}

extension World {
  /// Decides whether a fault happens now; if so, the result decides its details.
  ///
  /// Each opportunity has a generator of its own, so that leaving out one fault changes few others.
  /// Those of a client's call have its number, so that leaving out one call changes no other.
  func happens(_ fault: Fault, atCall call: Int? = nil) -> Xorshift? {
    content.withLock { content in
      let share = content.faults[keyPath: fault.share]
      if share == 0 { return nil }
      let number = call.map { fault.firstOfCalls + $0 } ?? content.opportunities[fault.rawValue]
      if call == nil { content.opportunities[fault.rawValue] += 1 }
      var random = Xorshift(seed: seed &* 0x9E37_79B9 ^ UInt64(number) &* 0x85EB_CA6B)
      _ = random.next()
      let isChosen = Double.random(in: 0..<1, using: &random) < share
      guard plan.faults?.contains(number) ?? isChosen else { return nil }
      content.happened.append(number)
      return random
    }
  }

  /// How wrong the wall clock of a machine is.
  func clockError(of name: String) -> Duration {
    surroundings.withLock { $0[name]?.clockError ?? .zero }
  }

  private func setClock(of process: SimulatedProcess, _ random: inout Xorshift) {
    let error = Duration.random(in: faults.clockErrors, using: &random)
    surroundings.withLock { $0[process.name, default: Surroundings()].clockError = error }
    tell(fault: "\(process.name): its wall clock is wrong by \(seconds(error))")
  }

  /// Cuts off a machine from the network, and perhaps others at the same time.
  func cutOff(_ machine: String, _ random: inout Xorshift) {
    let ways: [Set<SimulatedProcess.Way>] = [[.out, .in], [.out, .in], [.out], [.in]]
    let (way, time) = (
      ways.randomElement(using: &random) ?? [.out, .in],
      Duration.random(in: faults.downtime, using: &random)
    )
    var group = [machine]
    if Bool.random(using: &random) {
      for other in content.withLock({ $0.machines }).map(\.name)
      where other != machine && Bool.random(using: &random) {
        group.append(other)
      }
    }
    let end = simulator.now + time
    surroundings.withLock { surroundings in
      for name in group {
        for way in way {
          let last = surroundings[name]?.cutOff[way] ?? .zero
          surroundings[name, default: Surroundings()].cutOff[way] = max(last, end)
        }
      }
    }
    let names = group.joined(separator: " and ")
    let what =
      way.count == 2
      ? "cut off from the network" : way.contains(.out) ? "can't send" : "can't receive"
    tell(fault: "\(names): \(what) for \(seconds(time))")
  }

  /// - Throws: ``NoAnswer`` if a machine's messages don't get through.
  func checkNetwork(_ way: SimulatedProcess.Way, of name: String) throws {
    if surroundings.withLock({ $0[name]?.cutOff[way] ?? .zero }) > simulator.now {
      throw NoAnswer(description: "\(name) is cut off from the network")
    }
  }

  /// Adds to the story that a message of a machine gets lost, if the call has a name.
  func lost(_ message: String, of what: String?, _ machine: String) -> NoAnswer {
    if let what { tell(fault: "\(machine): \(message) of \(what) gets lost") }
    return NoAnswer(description: "\(message) got lost")
  }

  /// A generator for the end of one start of a machine, so that another machine's ends don't change it.
  func generator(ofStart number: Int, of machine: String) -> Xorshift {
    let name = machine.utf8.reduce(UInt64(14_695_981_039_346_656_037)) {
      ($0 ^ UInt64($1)) &* 1_099_511_628_211
    }
    return Xorshift(
      seed: seed &* 0x9E37_79B9 ^ name &+ UInt64(bitPattern: Int64(number)) &* 0xC2B2_AE35)
  }

  /// A generator for the times of a client's call, so that leaving out one call changes no other.
  func generator(ofCall number: Int) -> Xorshift {
    Xorshift(seed: seed &* 0x9E37_79B9 ^ UInt64(number) &* 0xC2B2_AE35)
  }

  /// - Returns: the number of a client's call; nil once the faults have stopped.
  func beginCall() -> Int? {
    content.withLock { content in
      if content.isHealed { return nil }
      content.calls += 1
      return content.calls
    }
  }

  /// Whether a client's call is made.
  func makes(call number: Int) -> Bool {
    number > plan.lastCall || plan.calls?.contains(number) != false
  }

  var isHealed: Bool { content.withLock { $0.isHealed } }

  /// How a run has ended.
  func outcome(_ problem: String?) -> Outcome {
    if let problem { tell("FAILED: \(problem)") }
    return content.withLock { content in
      (content.tally.seeds, content.tally.faults) = (1, content.happened.count)
      return Outcome(
        failure: content.failure ?? problem, story: content.story, faults: content.happened,
        calls: content.calls, tally: content.tally, steps: simulator.steps, simulator: simulator,
        machines: content.machines, foreign: simulator.foreign)
    }
  }

  /// Keeps everything that still lives, because releasing it would use the simulation.
  func bury() {
    let machines = content.withLock { $0.machines }
    GlueSimulation.bury((self, machines))
  }
}

extension Duration {
  /// A time in whole microseconds.
  static func random(in range: ClosedRange<Duration>, using random: inout Xorshift) -> Duration {
    let (low, high) = (range.lowerBound / .microseconds(1), range.upperBound / .microseconds(1))
    return .microseconds(Int64.random(in: Int64(low)...Int64(high), using: &random))
  }
}

extension World.Faults {
  /// Keeps only the times.
  fileprivate mutating func stop() {
    let (latency, downtime) = (latency, downtime)
    self = .none
    (self.latency, self.downtime) = (latency, downtime)
  }
}
