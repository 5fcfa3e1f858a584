internal import Glue
public import GlueCluster
public import GlueJournal

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

// MARK: - A start

/// The things that one start of a program gets instead of the system.
public struct Node: Sendable {
  private let process: SimulatedProcess

  /// The world of the machine.
  public let world: World

  init(of process: SimulatedProcess, in world: World) {
    (self.process, self.world) = (process, world)
  }

  /// The machine's name.
  public var name: String { process.name }

  /// The time on this machine, for stores, tasks and clusters.
  public var clock: World.Clock { process.clock }

  /// The machine's disk, for journals.
  public var disk: Disk { Disk(files: process.disk) }

  /// A random number, as the seed decides.
  public func number() -> UInt64 { world.number() }

  /// Whether to do something rare here, as the seed decides, so that a simulation tries it often.
  ///
  /// ```swift
  /// let limit = node.buggify("a small cache") ? 2 : 1000
  /// ```
  ///
  /// Code of production gets the answer as a parameter.
  ///
  /// - Parameter what: names it in the story.
  /// - Returns: whether to do it.
  public func buggify(_ what: String) -> Bool {
    if world.happens(.buggified) == nil { return false }
    world.tell(fault: "\(name): \(what)")
    return true
  }

  /// Calls something outside of the machine over a network.
  ///
  /// The request or the reply can get lost, and the machine can crash before or after. The body runs
  /// outside, so it continues if the machine crashes.
  ///
  /// - Parameters:
  ///   - what: names the call in the story.
  ///   - body: what happens outside.
  /// - Returns: the body's result.
  /// - Throws: the body's error, or ``NoAnswer``.
  public func call<Result: Sendable>(
    _ what: String, _ body: @escaping @Sendable () async throws -> Result
  ) async throws -> Result {
    try await cross(.out)
    try Task.checkCancellation()
    if world.happens(.crashAtCall) != nil { process.crash("before \(what)") }
    if world.happens(.lostRequest) != nil { throw world.lost("the request", of: what, name) }
    world.tell("\(name): \(what)")
    if var random = world.happens(.duplicatedRequest) {
      world.tell(fault: "\(name): \(what) arrives twice")
      let delay = Duration.random(in: world.faults.latency, using: &random)
      Task.detached(executorPreference: world.home) { [world] in
        try await world.clock.sleep(for: delay)
        if !world.isHealed { _ = try await body() }
      }
    }
    let result = await Task.detached(executorPreference: world.home) { try await body() }.result
    if world.happens(.crashAtCall) != nil { process.crash("after \(what)") }
    if world.happens(.lostReply) != nil { throw world.lost("the reply", of: what, name) }
    try await cross(.in)
    return try result.get()
  }

  /// Lets a message pass over the network, for as long as that takes.
  func cross(_ way: SimulatedProcess.Way) async throws {
    if var random = world.happens(.partition) { world.cutOff(name, &random) }
    try await clock.sleep(for: world.pick(world.faults.latency))
    try checkNetwork(way)
  }

  func checkNetwork(_ way: SimulatedProcess.Way) throws {
    try world.checkNetwork(way, of: name)
  }

  /// Connects a ``/GlueCluster/SharedStore`` on this machine to a log outside.
  ///
  /// The connection has the world's faults, and those of the log until the faults stop.
  ///
  /// - Parameters:
  ///   - log: made with the world's clock.
  ///   - faults: what else goes wrong on the connection.
  /// - Returns: the engine for the store.
  public func connection(
    to log: MemoryLog, faults: MemoryLog.Faults = .init()
  ) -> some Log {
    RemoteLog(node: self, log: log.connection(faults: faults, seed: number()))
  }
}

/// The first outcome of a client's call: its answer, the end of the process, or the cancellation of the
/// client.
private final class Answer<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var result: Result<Value, any Error>?
    var continuation: UnsafeContinuation<Value, any Error>?
  }

  private let content = Locked(Content())

  /// - Returns: whether the outcome is the first.
  @discardableResult
  func resume(with result: Result<Value, any Error>) -> Bool {
    let (isFirst, continuation) = content.withLock { content in
      if content.result != nil { return (false, nil as UnsafeContinuation<Value, any Error>?) }
      content.result = result
      return (true, content.continuation.take())
    }
    continuation?.resume(with: result)
    return isFirst
  }

  var value: Value {
    get async throws {
      try await withTaskCancellationHandler {
        try await withUnsafeThrowingContinuation { continuation in
          let early = content.withLock { content in
            if content.result == nil { content.continuation = continuation }
            return content.result
          }
          if let early { continuation.resume(with: early) }
        }
      } onCancel: {
        resume(with: .failure(CancellationError()))
      }
    }
  }
}
