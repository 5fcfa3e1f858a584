import Glue
import GlueCluster
import Synchronization
import Testing

@testable import ClusterExample

/// Restarts three replicas with another version, one by one while all send, and upgrades.
func upgradeUnderLoad(on make: @escaping @Sendable () throws -> any Log) async throws {
  let next = SharedVersion<Ledger>.version(2, reducer: ledger) { state in
    state.mailed.append("upgraded after \(state.lines.count)")
  }
  func start(_ number: Int, _ versions: [SharedVersion<Ledger>]) throws -> SharedStore<Ledger, Void>
  {
    SharedStore(
      state: Ledger(), versions: versions, format: ledgerFormat, replica: "\(number)",
      log: try make(), deadline: .seconds(60))
  }
  let first = SharedVersion<Ledger>.version(1, reducer: ledger)
  var replicas = try (0..<3).map { try start($0, [first]) }
  try await replicas[0].sendSurely(.write("first"))
  for number in 0..<3 {
    // The others send while this one restarts.
    let others = (0..<3).filter { $0 != number }.map { ($0, replicas[$0]) }
    async let sending: Void = withThrowingTaskGroup { group in
      for (other, replica) in others {
        group.addTask {
          for line in 0..<20 { try await replica.sendSurely(.write("\(number).\(other).\(line)")) }
        }
      }
      try await group.waitForAll()
    }
    await replicas[number].close()
    replicas[number] = try start(number, [first, next])
    try await replicas[number].sendSurely(.write("\(number) is back"))
    try await sending
  }
  try await replicas[2].upgrade(to: 2)
  try await replicas[0].sendSurely(.write("last"))
  for replica in replicas {
    try await replica.catchUp()
    let (state, status) = (replica.store.state.state, replica.status)
    #expect(state.lines.count == 3 * 41 + 2 && Set(state.lines).count == state.lines.count)
    #expect(state.mailed == ["upgraded after \(3 * 41 + 1)"])
    #expect(status.version == 2)
  }
  for replica in replicas { await replica.close() }
}
