public import GlueCluster
public import GlueJournal
internal import GlueTesting

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
