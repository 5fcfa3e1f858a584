import GlueCluster
import GlueClusterTesting
import Testing

/// A program that was written with the older names compiles, and does what it did.
@Suite struct OlderNamesTests {
  @Test func stillWork() async throws {
    let uses: any OlderNames = Uses()
    try await uses.check()
  }
}

/// Calls the deprecated uses, because a call through a protocol warns of nothing.
private protocol OlderNames {
  func check() async throws
}

private struct Uses: OlderNames {
  @available(*, deprecated)
  func check() async throws {
    #expect(SharedStoreError.anew("a") == .logRecreated("a"))
    let log = MemoryLog()
    let engine: any Log = Engine(log: log.connection())
    let position: Position = try await engine.append([1], within: .seconds(1))
    log.makeAnew()
    #expect(position == 1 && log.last == 0)
    log.connection().setFaults(Faults())
    _ = replicated
    _ = owning
  }

  @available(*, deprecated)
  private func replicated(_ state: Replicated<Int, Int>) -> (Table, Owner, Link) {
    (state.table, state.table.owner, state.link)
  }

  @available(*, deprecated)
  private func owning(_ store: SharedStore<Int, Int>, _ ticket: Ticket) async throws {
    store.own(Mail.self) { (_, _: Token) in [] }
    _ = try await store.outcome(of: ticket)
  }
}

@available(*, deprecated)
private struct Engine: Log {
  let log: MemoryLog.Connection

  func append(_ entry: [UInt8], within limit: Duration) async throws(LogError) -> Position {
    try await log.append(entry, within: limit)
  }

  func read(from first: Position, within limit: Duration) async throws(LogError) -> Page {
    try await log.read(from: first, within: limit)
  }

  func snapshot() async throws(LogError) -> Snapshot? { try await log.snapshot() }

  func keep(_ snapshot: Snapshot, trimmingBelow position: Position) async throws(LogError) {
    try await log.keep(snapshot, trimmingBelow: position)
  }
}
