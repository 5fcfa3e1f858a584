import Glue
import Synchronization
import ProcessSupport
import Testing

@testable import GlueCluster

/// A replica of the program before, or of the next one.
private enum Either: Sendable {
  case old(SharedStore<OldBoard, Void>)
  case new(SharedStore<NewBoard, Void>)

  func send(_ text: String) async throws(SharedStoreError) {
    switch self {
    case .old(let shared): try await shared.send(LineIntent.add(text))
    case .new(let shared): try await shared.send(LineIntent.add(text))
    }
  }

  func end(crashes: Bool) async {
    switch self {
    case .old(let shared): if crashes { shared.crash() } else { await shared.close() }
    case .new(let shared): if crashes { shared.crash() } else { await shared.close() }
    }
  }
}

/// Three replicas that restart under load, with the next program.
private final class Rolling: Sendable {
  let told = Noted<String>()
  let events = Noted<SharedStoreEvent>()
  let isOver = Atomic(false)
  private let log = MemoryLog()
  private let seed: UInt64
  private let connections = Locked<[MemoryLog.Connection]>([])
  private let replicas = Locked<[Int: Either]>([:])

  init(seed: UInt64) {
    self.seed = seed
    for number in 0..<3 {
      let old = board(
        OldBoard.self, "\(number)", on: connect(), snapshotEvery: 20, report: events.add)
      replicas.withLock { $0[number] = .old(old) }
    }
  }

  var last: LogPosition { log.last }

  private func connect() -> MemoryLog.Connection {
    connections.withLock { connections in
      let start = seed * 100 + UInt64(connections.count)
      let connection = log.connection(faults: .many, seed: start)
      connections.append(connection)
      return connection
    }
  }

  private subscript(number: Int) -> Either { replicas.withLock { $0[number]! } }

  func restart(_ number: Int, crashes: Bool) async -> SharedStore<NewBoard, Void> {
    await self[number].end(crashes: crashes)
    let new = board(
      NewBoard.self, "\(number)", on: connect(), versions: both, snapshotEvery: 20,
      report: events.add)
    replicas.withLock { $0[number] = .new(new) }
    return new
  }

  /// Sends one line after the other; a line in flight when its replica ends may be there.
  func load(_ number: Int) async {
    for line in 0... {
      let isLast = isOver.load(ordering: .relaxed)
      let text = "\(number).\(line)"
      if (try? await self[number].send(text)) != nil { told.add(text) }
      await Task.yield()
      if isLast { return }
    }
  }

  func calm() {
    for connection in connections.withLock({ $0 }) { connection.setFaults(.init()) }
  }
}

/// While each of two programs reads the other's entries and snapshots, through every fault.
@Suite(.tags(.threads), .jumpingTime) struct RollingUnderLoadTests {
  @Test(arguments: UInt64(1)...10)
  func threeReplicasAreUpgradedOneByOneUnderLoad(seed: UInt64) async throws {
    let run = Rolling(seed: seed)
    var all: [SharedStore<NewBoard, Void>] = []
    try await withThrowingTaskGroup { group in
      for number in 0..<3 { group.addTask { await run.load(number) } }
      for number in 0..<3 {
        await run.told.wait { $0.count >= (number + 1) * 10 }
        all.append(await run.restart(number, crashes: number != 1))
        try await all[number].catchUpSurely()
      }
      try await all[2].upgradeSurely(to: 2)
      run.isOver.store(true, ordering: .relaxed)
      try await group.waitForAll()
    }
    run.calm()
    for replica in all { try await replica.catchUpSurely() }
    for replica in all { await replica.reached(run.last) }
    let final = all[0].store.state
    for replica in all { #expect(replica.store.state.state == final.state) }
    #expect(final.table.version == 2 && final.state.step == 1)
    let counts = Dictionary(final.state.lines.map { ($0, 1) }, uniquingKeysWith: +)
    for text in run.told.all { #expect(counts[text] == 1, "\(text) was acknowledged") }
    #expect(counts.values.allSatisfy { $0 == 1 })
    #expect(!run.events.all.contains { if case .differs = $0 { true } else { false } })
    for replica in all { await replica.close() }
  }
}
