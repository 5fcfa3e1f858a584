import Glue
import GlueCluster
import Synchronization
import Testing

@testable import LedgerProgram

/// The runs of owned effects, of which one that begins before an earlier one has ended is an overlap.
private final class Runs: Sendable {
  private let state = Mutex(
    (running: [String: Int](), begun: [String: Int](), overlaps: [String]()))

  /// How many effects began again.
  var again: Int { state.withLock { $0.begun.values.count { $0 > 1 } } }
  var overlaps: [String] { state.withLock { $0.overlaps } }

  func begin(_ text: String) {
    state.withLock { state in
      state.begun[text, default: 0] += 1
      state.running[text, default: 0] += 1
      if state.running[text]! > 1 { state.overlaps.append(text) }
    }
  }

  func end(_ text: String) { state.withLock { $0.running[text]! -= 1 } }
}

/// Restarts replicas in turns by `close()` while the others order mails, which the owner sends.
///
/// No owner is killed, and none is silent for its lease, so no mail may be sent twice.
func restartInTurns(on make: @escaping @Sendable () throws -> any Log) async throws {
  let runs = Runs()
  func start(_ number: Int) throws -> SharedStore<Ledger, Void> {
    let replica = SharedStore(
      state: Ledger(), versions: [.version(1, reducer: ledger)], format: ledgerFormat,
      replica: "\(number)", log: try make(), deadline: .seconds(60), lease: .seconds(9))
    replica.own(Mail.self) { mail, _ in
      runs.begin(mail.text)
      defer { runs.end(mail.text) }
      // A mail takes its time, also if it is canceled.
      try? await Task.sleep(for: .milliseconds(10))
      await Task { try? await Task.sleep(for: .milliseconds(500)) }.value
      return [LedgerIntent.mailed(mail.text)]
    }
    return replica
  }
  var replicas = try (0..<3).map(start)
  try await replicas[0].sendSurely(.write("first"))
  let (rounds, each) = (6, 20)
  for round in 0..<rounds {
    let others = (0..<3).filter { $0 != round % 3 }.map { ($0, replicas[$0]) }
    async let ordering: Void = withThrowingTaskGroup { group in
      for (number, replica) in others {
        group.addTask {
          for order in 0..<each {
            try await replica.sendSurely(.order("\(round).\(number).\(order)"))
          }
        }
      }
      try await group.waitForAll()
    }
    await replicas[round % 3].close()
    replicas[round % 3] = try start(round % 3)
    try await ordering
  }
  let count = rounds * 2 * each
  for await mailed in replicas[0].store.values(of: \.state.mailed.count) where mailed >= count {
    break
  }
  for replica in replicas {
    try await replica.catchUp()
    let mailed = replica.store.state.state.mailed
    #expect(mailed.count == count && Set(mailed).count == count, "each result counts once")
  }
  #expect(runs.overlaps == [] && runs.again == 0, "an owner that closes ends what it has begun")
  for replica in replicas { await replica.close() }
}
