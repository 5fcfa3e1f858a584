/// A breach of the contract of ``Log`` by an engine.
public struct ContractViolation: Error, CustomStringConvertible {
  /// The expected behavior, and the actual one.
  public let description: String
}

/// Checks that an engine keeps the contract of ``Log``.
///
///     @Test func myEngineKeepsTheContract() async throws {
///       try await checkContract { MyLog(address: server.address, name: "contract") }
///     }
///
/// Calls that the engine refuses or loses are tried again for 30 seconds.
///
/// - Parameters:
///   - clock: times the wait between two tries.
///   - make: makes an engine for one replica. All engines use one log, which is empty.
/// - Throws: ``ContractViolation`` if the engine breaks it, or the last error of the engine.
public func checkContract(
  clock: any Clock<Duration> = ContinuousClock(), of make: () async throws -> any Log
) async throws {
  let (first, second) = (Tried(log: try await make(), clock), Tried(log: try await make(), clock))

  // Appends get consecutive positions, and every reader sees them there.
  for number in 1...20 {
    let entry = [UInt8(number), 0, 10, 255]
    try expect(try await first.append(entry) == number, "append \(number) has another position")
  }
  for log in [first, second] {
    let bytes = try await log.entries(from: 1, to: 20).map(\.bytes[0])
    try expect(bytes == Array(1...20), "20 appends are read as \(bytes)")
  }

  // A reader at the end waits, and gets the next append.
  async let next = second.entries(from: 21, to: 21)
  try expect(try await first.append([21]) == 21, "append 21 has another position")
  let came = try await next
  try expect(came == [LogEntry(position: 21, bytes: [21])], "a waiting reader got \(came)")

  // A read that times out returns no entries and no error, also beyond the end.
  for position in [22, 100] {
    let page = try await first.read(from: position, within: .milliseconds(50))
    try expect(page.entries == [], "the empty place \(position) has entries")
    try expect(page.end == 21, "the log of 21 entries ends at \(page.end)")
  }

  // An entry may have the promised size.
  let large = [UInt8](repeating: 7, count: SharedLimits.entry)
  try expect(try await first.append(large) == 22, "the large entry has another position")
  let read = try await second.entries(from: 22, to: 22)[0].bytes
  try expect(read == large, "a large entry came back as \(read.count) bytes")

  try await checkSessions(first, second)

  // A waiting task can be canceled.
  let waiting = Task { try await second.log.read(from: 24, within: .seconds(600)) }
  waiting.cancel()
  _ = await waiting.result
  try await checkSnapshots(first, second)
}

/// Single entries, which are read on the server that takes appends; then appends in two sessions.
private func checkSessions(_ first: Tried, _ second: Tried) async throws {
  for position in [1, 20, 22, 23, 100] {
    let entry = try await second.entry(at: position)
    let isRight = entry?.position == (position <= 22 ? position : nil)
    try expect(isRight, "\(position) of 22 entries is read as \(entry?.position ?? 0)")
  }
  let small = try await second.entry(at: 20)
  try expect(small?.bytes == [20, 0, 10, 255], "entry 20 came back as \(small?.bytes ?? [])")

  let position = try await first.inSession { log, session in
    try await log.append([23], in: session, within: .seconds(5))
  }
  try expect(position == 23, "append 23 has another position")
  try await first.refusesInAnotherSession("an append") { log, session throws(LogError) in
    _ = try await log.append([24], in: session, within: .seconds(5))
  }
  let end = try await first.read(from: 24, within: .milliseconds(50)).end
  try expect(end == 23, "the log of 23 entries ends at \(end) after an append in another session")
}

/// One in another session, none, one of several chunks, an older one, a newer one; then trimming.
private func checkSnapshots(_ first: Tried, _ second: Tried) async throws {
  let late = LogSnapshot(position: 15, bytes: [3])
  try await first.refusesInAnotherSession("a snapshot") { log, session throws(LogError) in
    try await log.keep(late, trimmingBelow: 10, in: session)
  }
  try expect(try await first.entry(at: 3) != nil, "a snapshot of another session trimmed the log")
  try expect(try await first.snapshot() == nil, "an empty log has a snapshot")
  let big = LogSnapshot(
    position: 10, bytes: (0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
  try await first.inSession { log, session in
    try await log.keep(big, trimmingBelow: 0, in: session)
  }
  try await second.wait(for: big)
  try await second.keep(LogSnapshot(position: 5, bytes: [1]), trimmingBelow: 0)
  try await first.wait(for: big)
  let newer = LogSnapshot(position: 20, bytes: [2])
  try await second.keep(newer, trimmingBelow: 15)
  try await first.wait(for: newer)
  let trimmed = await Task { try await second.read(from: 3, within: .seconds(1)) }.result
  guard case .failure(let error) = trimmed, error as? LogError == .trimmed(first: 15) else {
    throw ContractViolation(description: "reading what was trimmed gave \(trimmed)")
  }
  let gone = await Task { try await second.entry(at: 3) }.result
  guard case .failure(let error) = gone, error as? LogError == .trimmed(first: 15) else {
    throw ContractViolation(description: "reading one entry that was trimmed gave \(gone)")
  }
  let rest = try await first.entries(from: 15, to: 23).count
  try expect(rest == 9, "\(rest) of 9 entries are left")
}

private func expect(_ holds: Bool, _ otherwise: String) throws {
  if !holds { throw ContractViolation(description: otherwise) }
}

/// Retries an engine's calls, because its servers may have just started.
private struct Tried: Sendable {
  let log: any Log
  let clock: any Clock<Duration>

  init(log: any Log, _ clock: any Clock<Duration>) { (self.log, self.clock) = (log, clock) }

  func append(_ entry: [UInt8]) async throws -> LogPosition {
    try await patiently { try await log.append(entry, in: nil, within: .seconds(5)) }
  }

  /// A session may end at any time, so each try takes the newest.
  func inSession<Value>(
    _ call: (any Log, String) async throws -> Value
  ) async throws -> Value {
    try await patiently {
      try await call(log, try await log.read(from: 1, within: .seconds(1)).session)
    }
  }

  /// Checks nothing if the engine doesn't distinguish sessions.
  func refusesInAnotherSession(
    _ what: String, _ call: (any Log, String) async throws(LogError) -> Void
  ) async throws {
    try await inSession { log, session in
      if session.isEmpty { return }
      do throws(LogError) {
        try await call(log, session + " of another server")
      } catch .refused { return }
      throw ContractViolation(description: "\(what) in a session that isn't there succeeded")
    }
  }

  func entry(at position: LogPosition) async throws -> LogEntry? {
    try await patiently { try await log.entry(at: position, within: .milliseconds(50)) }
  }

  func read(from position: LogPosition, within limit: Duration) async throws -> LogPage {
    try await patiently { try await log.read(from: position, within: limit) }
  }

  func snapshot() async throws -> LogSnapshot? { try await patiently { try await log.snapshot() } }

  func keep(_ snapshot: LogSnapshot, trimmingBelow position: LogPosition) async throws {
    try await patiently { try await log.keep(snapshot, trimmingBelow: position, in: nil) }
  }

  /// Reads until `last` is there; every read must continue where the one before ended.
  func entries(from first: LogPosition, to last: LogPosition) async throws -> [LogEntry] {
    var entries: [LogEntry] = []
    while entries.last?.position ?? 0 < last {
      entries += try await read(from: first + entries.count, within: .seconds(1)).entries
    }
    let positions = entries.map(\.position)
    try expect(positions == Array(first...last), "\(first) to \(last) are read as \(positions)")
    return entries
  }

  /// A server that follows another one may answer with an older snapshot at first.
  func wait(for snapshot: LogSnapshot) async throws {
    try await patiently {
      let found = try await log.snapshot()
      if found != snapshot { throw LogError.cut("its snapshot is at \(found?.position ?? 0)") }
    }
  }

  private func patiently<Value>(_ body: () async throws -> Value) async throws -> Value {
    for _ in 0..<300 {
      do { return try await body() } catch let error as LogError {
        if case .trimmed = error { throw error }
        try await clock.sleep(for: .milliseconds(100))
      }
    }
    return try await body()
  }
}
