import GlueCluster
import ProcessSupport
import Testing

/// The memory log keeps the contract of engines, and the check finds engines that don't.
@Suite(.jumpingTime) struct ContractTests {
  let clock = JumpingClock()

  @Test func theMemoryLogKeepsTheContract() async throws {
    let log = MemoryLog(clock: clock)
    try await checkContract(clock: clock) { log.connection() }
  }

  @Test func anEngineThatDoesNotDistinguishSessionsKeepsTheContract() async throws {
    let log = MemoryLog(clock: clock)
    try await checkContract(clock: clock) { PlainLog(log: log.connection()) }
  }

  @Test func anAppendInASessionThatIsNotThereIsFound() async throws {
    let log = MemoryLog(clock: clock)
    let violation = await #expect(throws: ContractViolation.self) {
      try await checkContract(clock: clock) { PlainLog(log: log.connection(), session: "1") }
    }
    #expect(violation?.description == "an append in a session that isn't there succeeded")
  }
}

/// The memory log does what a server does that is restored from a backup.
@Suite(.jumpingTime) struct LosingTests {
  @Test func aLogThatLosesEntriesBeginsAnotherSession() async throws {
    let log = MemoryLog(clock: JumpingClock())
    let connection = log.connection()
    for number in 1...6 {
      log.append([UInt8(number)])
      guard number % 2 == 0 else { continue }
      let snapshot = LogSnapshot(position: number, bytes: [UInt8(number)])
      try await connection.keep(snapshot, trimmingBelow: 0, in: nil)
    }
    let before = try await connection.read(from: 1, within: .zero)
    log.lose(after: 5)
    await #expect(throws: LogError.refused("another session has begun")) {
      try await connection.append([6], in: before.session, within: .zero)
    }
    // The first page of a session comes at once, although there is no entry for it.
    let after = try await connection.read(from: 7, within: .seconds(3_600))
    #expect(after.session != before.session && after.end == 5 && after.entries == [])
    #expect(try await connection.entry(at: 6, within: .zero) == nil)
    #expect(try await connection.snapshot()?.position == 4)
    #expect(try await connection.append([7], in: after.session, within: .zero) == 6)
  }

  @Test func aLinkThatIsRestoredBeginsAnotherSession() async throws {
    let log = MemoryLog(clock: JumpingClock())
    let connection = log.connection()
    let before = try await connection.read(from: 1, within: .zero).session
    #expect(try await connection.read(from: 1, within: .zero).session == before)
    connection.setCut(true)
    connection.setCut(false)
    #expect(try await connection.read(from: 1, within: .zero).session != before)
  }
}
