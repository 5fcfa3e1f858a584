internal import Glue

protocol AnyMachine: Sendable {
  var name: String { get }

  /// The bytes of each file, as the program sees them, or has left them.
  var files: [String: [UInt8]] { get }

  func heal()
}

/// A machine of a simulated world: its files, and a program that runs there or is down.
///
/// `@unchecked Sendable` is sound because the lock guards everything that varies.
public final class Machine<Program: Sendable>: AnyMachine, @unchecked Sendable {
  private struct Content: Sendable {
    var process: SimulatedProcess?

    /// The files that the last process has left.
    var files = MemoryFiles()
    var program: Program?
    var checks: [@Sendable (Program) async -> Void] = []

    /// Ends the time for which the machine stays down.
    var wakeUp: (@Sendable () -> Void)?
    var starts = 0

    /// The versions of the program, in the order of the upgrades, and the one that runs.
    var versions: [@Sendable (Node) async throws -> Program]
    var version = 0

    /// How many starts in succession have ended before the program was up, or for no fault.
    var failedStarts = 0

    /// Whether a bit of a file has changed.
    var isRotten = false
  }

  /// The machine's name in the story.
  public let name: String

  private let world: World
  private let content: Locked<Content>

  init(
    _ name: String, in world: World, _ start: @escaping @Sendable (Node) async throws -> Program
  ) {
    (self.name, self.world) = (name, world)
    content = Locked(Content(versions: [start]))
  }

  /// Whether the program runs and its start has ended.
  public var isUp: Bool { content.withLock { $0.program != nil } }

  /// Checks something after each start, before clients can call.
  ///
  /// - Parameter check: gets the program.
  public func afterEachStart(_ check: @escaping @Sendable (Program) async -> Void) {
    content.withLock { $0.checks.append(check) }
  }

  /// Ends the program in the middle of what it does.
  ///
  /// - Parameter power: whether the power fails, so that files lose what wasn't synced.
  public func crash(power: Bool = false) {
    running?.crash("by the test", isPower: power, .planned)
  }

  /// Ends the program, as a kill does, and starts a newer version of it from now on.
  ///
  /// With ``World/Faults/rollbacks``, some of the starts are of the version before, until the faults stop.
  ///
  /// - Parameter start: makes the program, as that of ``World/machine(_:start:)`` does.
  public func upgrade(to start: @escaping @Sendable (Node) async throws -> Program) {
    content.withLock { $0.versions.append(start) }
    running?.crash("for an upgrade", isPower: false, .planned)
  }

  private var running: SimulatedProcess? { content.withLock { $0.process } }

  /// Calls the running program, as a client does over a network.
  ///
  /// The call runs on the machine, and ends with it. When the calling task is canceled, as by a limit
  /// of time, it ends at once, while the machine continues.
  ///
  /// - Parameters:
  ///   - what: names the call in the story, beside its number.
  ///   - body: gets the program.
  /// - Returns: the body's result.
  /// - Throws: the body's error, ``NoAnswer``, or `CancellationError`.
  public func call<Result: Sendable>(
    _ what: String? = nil,
    _ body: @escaping @Sendable (Program) async throws -> Result
  ) async throws -> Result {
    let number = world.beginCall()
    if let number, !world.makes(call: number) {
      throw NoAnswer(description: "the call was left out")
    }
    world.note { $0.calls += 1 }
    do {
      let result = try await make(number, what, body)
      world.note { $0.answered += 1 }
      return result
    } catch {
      // A description may read the clock, which a lock guards.
      let text = shortened("\(error)")
      world.note { $0.lastCall = text }
      throw error
    }
  }

  /// Makes a call; those after the faults have stopped have no number.
  private func make<Result: Sendable>(
    _ number: Int?, _ what: String?,
    _ body: @escaping @Sendable (Program) async throws -> Result
  ) async throws -> Result {
    let call = number.map { number in "call \(number)" + (what.map { " (\($0))" } ?? "") }
    var random = world.generator(ofCall: number ?? 0)
    func latency() -> Duration {
      let range = world.faults.latency
      return number == nil ? world.pick(range) : .random(in: range, using: &random)
    }
    try await world.clock.sleep(for: latency())
    if world.happens(.lostRequest, atCall: number) != nil {
      throw world.lost("the request", of: call, name)
    }
    let (process, program) = content.withLock { ($0.process, $0.program) }
    guard let process, let program else {
      tell(of: call) { "\($0) finds it down" }
      throw NoAnswer(description: "\(name) is down")
    }
    if var random = world.happens(.partition, atCall: number) { world.cutOff(name, &random) }
    try world.checkNetwork(.in, of: name)
    if var random = world.happens(.duplicatedRequest, atCall: number) {
      world.tell(fault: "\(name): \(call ?? "a call") arrives twice")
      let delay = Duration.random(in: world.faults.latency, using: &random)
      Task(executorPreference: process) { [world] in
        try await process.clock.sleep(for: delay)
        if !world.isHealed { _ = try await body(program) }
      }
    }
    let answer = Answer<Result>()
    let client = process.add { [self] in
      let stopped = NoAnswer(description: "\(name) stopped before it answered")
      if answer.resume(with: .failure(stopped)) {
        tell(of: call) { "\($0) ends without an answer" }
      }
    }
    guard let client else { throw NoAnswer(description: "\(name) is down") }
    Task(executorPreference: process) { [self] in
      do {
        let result = try await body(program)
        if answer.resume(with: .success(result)) { tell(of: call) { "answers \($0)" } }
      } catch {
        if answer.resume(with: .failure(error)) {
          tell(of: call) { "\($0) throws \(shortened("\(error)", to: 80))" }
        }
      }
      process.remove(client: client)
    }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await answer.value) } catch { result = .failure(error) }
    if Task.isCancelled {
      tell(of: call) { "\($0) is canceled" }
      throw CancellationError()
    }
    if world.happens(.lostReply, atCall: number) != nil {
      throw world.lost("the reply", of: call, name)
    }
    try world.checkNetwork(.out, of: name)
    try await world.clock.sleep(for: latency())
    return try result.get()
  }

  /// Adds a line about a client's call to the story, except once the faults have stopped.
  private func tell(of call: String?, _ line: (String) -> String) {
    if let call { world.tell("\(name): \(line(call))") }
  }
}

// MARK: - Starting

extension Machine {
  /// Runs the program, again and again.
  ///
  /// It does so in one task of the test, whose expectations then belong to the test.
  func live() {
    let world = world
    Task(executorPreference: world.home) { [self] in
      while true {
        await run()
        if let problem = crashLoop { return world.fail(problem) }
        await rest()
      }
    }
  }

  /// Runs the program once, until it ends.
  private func run() async {
    let world = world
    let (number, start) = beginStart()
    let files = content.withLock { $0.files }
    if !files.isEmpty, var random = world.happens(.rottenFile), let path = files.rot(&random) {
      content.withLock { $0.isRotten = true }
      world.tell(fault: "\(name): a bit of \(path) has changed")
    }
    await withUnsafeContinuation { continuation in
      let process = SimulatedProcess(name, world.simulator, number: number, files: files) {
        [self] files, end in
        world.tell(fault: "\(name): \(end.text)")
        let hasStarted = isUp
        world.note { tally in
          tally.crashes += 1
          if !hasStarted { tally.lastStart[name] = end.text }
        }
        noteEnd(end, leaving: files)
        continuation.resume()
      }
      process.world = world
      if content.withLock({ $0.isRotten }) { process.noteBadDisk() }
      content.withLock { $0.process = process }
      Task(executorPreference: process) { [self] in
        do {
          let program = try await start(Node(of: process, in: world))
          for check in content.withLock({ $0.checks }) { await check(program) }
          process.isUp = true
          world.note { $0.machines[name] = true }
          content.withLock { content in
            content.program = program
            if !world.isHealed { content.failedStarts = 0 }
          }
        } catch { process.crash("stops: the start failed: \(error)", isPower: false) }
      }
    }
  }

  /// Chooses the version to start: the newest, or the one before as a fault.
  ///
  /// - Returns: the number of the start, and what makes the program.
  private func beginStart() -> (Int, @Sendable (Node) async throws -> Program) {
    let newest = content.withLock { $0.versions.count - 1 }
    let version = newest > 0 && world.happens(.rollback) != nil ? newest - 1 : newest
    let (number, start) = content.withLock { content in
      content.starts += 1
      content.version = version
      return (content.starts, content.versions[version])
    }
    let line = "\(name): start \(number)" + (newest > 0 ? ", version \(version + 1)" : "")
    if version < newest { world.tell(fault: line) } else { world.tell(line) }
    return (number, start)
  }

  private func noteEnd(_ end: SimulatedProcess.End, leaving files: MemoryFiles) {
    let program = content.withLock { content in
      defer { (content.process, content.program, content.files) = (nil, nil, files) }
      if case .planned = end.cause {
        content.failedStarts = 0
      } else if content.program == nil || world.isHealed {
        content.failedStarts += 1
      }
      return content.program
    }
    bury(program)
  }

  /// Why the machine isn't started again, if it has failed too often.
  private var crashLoop: String? {
    let failed = content.withLock { $0.failedStarts }
    let limit = world.isHealed ? 10 : 200
    if failed < limit { return nil }
    let cause = content.withLock { $0.isRotten } ? "since a file has changed" : "for no fault"
    return "\(name): a crash loop: it has ended \(failed) times \(cause)"
  }

  /// Stays down for a time, or until the faults stop.
  private func rest() async {
    let (world, faults) = (world, world.faults)
    var random = world.generator(ofStart: content.withLock { -$0.starts }, of: name)
    let downtime =
      world.isHealed ? .milliseconds(10) : Duration.random(in: faults.downtime, using: &random)
    let simulator = world.simulator
    await withUnsafeContinuation { continuation in
      let waiting = Locked<UnsafeContinuation<Void, Never>?>(continuation)
      let wakeUp = { @Sendable in _ = waiting.withLock { $0.take() }.map { $0.resume() } }
      content.withLock { $0.wakeUp = wakeUp }
      simulator.alarm(at: simulator.now + downtime, of: world.home, .body(wakeUp))
    }
    content.withLock { $0.wakeUp = nil }
  }

  var files: [String: [UInt8]] { content.withLock { $0.process?.disk ?? $0.files }.all }

  func heal() {
    content.withLock { $0.wakeUp }?()
    if content.withLock({ $0.version < $0.versions.count - 1 }) {
      running?.crash("for its newest version", isPower: false, .planned)
    }
  }
}
