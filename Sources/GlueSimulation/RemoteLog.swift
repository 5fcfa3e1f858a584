import GlueCluster

/// A log that is reached over the simulated network.
struct RemoteLog: Log {
  let node: Node
  let log: MemoryLog.Connection

  private func reach() async throws(LogError) {
    if node.world.isHealed { log.setFaults(.init()) }
    do { try await node.cross("the log") } catch { throw .refused("\(error)") }
  }

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    try await reach()
    let position = try await log.append(entry, in: session, within: limit)
    if node.world.happens(.lostReply) != nil {
      throw .unknown("\(node.world.lost("the reply", of: "the log", node.name))")
    }
    do { try await node.cross("the log") } catch { throw .unknown("\(error)") }
    return position
  }

  func read(
    from position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogPage {
    try await reach()
    return try await log.read(from: position, within: limit)
  }

  func entry(
    at position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogEntry? {
    try await reach()
    return try await log.entry(at: position, within: limit)
  }

  func snapshot() async throws(LogError) -> LogSnapshot? {
    try await reach()
    return try await log.snapshot()
  }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    try await reach()
    try await log.keep(snapshot, trimmingBelow: position, in: session)
  }
}
