import GlueCluster

/// A log that is reached over the simulated network.
struct RemoteLog: Log {
  let node: Node
  let log: MemoryLog.Connection

  private func reach() async throws(LogError) {
    if node.world.isHealed { log.setFaults(.init()) }
    do { try await node.cross(.out) } catch { throw .refused("\(error)") }
  }

  /// Reads from the log, unless the answer can't get through.
  private func read<Answer>(
    _ read: () async throws(LogError) -> Answer
  ) async throws(LogError) -> Answer {
    try await reach()
    let answer = try await read()
    do { try node.checkNetwork(.in) } catch { throw .refused("\(error)") }
    return answer
  }

  func append(
    _ entry: [UInt8], in session: String?, within limit: Duration
  ) async throws(LogError) -> LogPosition {
    try await reach()
    let position = try await log.append(entry, in: session, within: limit)
    if node.world.happens(.lostReply) != nil {
      throw .unknown("\(node.world.lost("the reply", of: "the log", node.name))")
    }
    do { try await node.cross(.in) } catch { throw .unknown("\(error)") }
    return position
  }

  func read(
    from position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogPage {
    try await read { () async throws(LogError) in
      try await log.read(from: position, within: limit)
    }
  }

  func entry(
    at position: LogPosition, within limit: Duration
  ) async throws(LogError) -> LogEntry? {
    try await read { () async throws(LogError) in
      try await log.entry(at: position, within: limit)
    }
  }

  func snapshot() async throws(LogError) -> LogSnapshot? {
    try await read { () async throws(LogError) in try await log.snapshot() }
  }

  func keep(
    _ snapshot: LogSnapshot, trimmingBelow position: LogPosition, in session: String?
  ) async throws(LogError) {
    try await reach()
    try await log.keep(snapshot, trimmingBelow: position, in: session)
    do { try node.checkNetwork(.in) } catch { throw .unknown("\(error)") }
  }
}
