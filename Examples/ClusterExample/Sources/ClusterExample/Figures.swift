import Foundation
import Glue
import LocalServers
import NATSLog
import PostgreSQLLog
import GlueCluster
import GlueClusterTesting
import GlueJournal

/// Measures the engines by themselves, and the replicas on them, in one run.
func figures() async throws {
  let three = try NATSServers(3)
  defer { three.end() }
  let one = try NATSServers(1)
  defer { one.end() }
  let server = try PostgreSQLServer()
  defer { server.end() }
  // Each measurement has a log of its own; its name is given.
  let memory = Dictionary(
    uniqueKeysWithValues: ["own", "for1", "for3", "for10"].map {
      ($0, MemoryLog(clock: ContinuousClock()))
    })
  let engines: [(String, (String) async throws -> any Log)] = [
    ("memory", { memory[$0]!.connection() }),
    ("NATS, 1 server", { try NATS(one.urls).log($0, copies: 1) }),
    ("NATS, 3 servers", { try await made(NATS(three.urls).log($0, copies: 3)) }),
    ("PostgreSQL", { try PostgreSQL(server.address).log($0) }),
  ]
  say("| engine | its own appends of 100 B/s | replicas | intents/s | p50 ms | p99 ms |")
  say("|---|---|---|---|---|---|")
  for (name, make) in engines {
    let own = try await ownRate(of: await make("own"))
    for count in [1, 3, 10] {
      var replicas: [SharedStore<Counter, Void>] = []
      for _ in 0..<count {
        replicas.append(counterReplica(on: try await make("for\(count)"), "\(replicas.count)"))
      }
      for replica in replicas { try await ready(replica) }
      let (rate, latencies) = try await load(replicas)
      let (p50, p99) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
      say(
        "| \(name) | \(Int(own)) | \(count) | \(Int(rate)) "
          + "| \(String(format: "%.1f | %.1f", p50 * 1_000, p99 * 1_000)) |")
      for replica in replicas { await replica.close() }
    }
  }
}

private func made(_ log: NATSLog) async throws -> NATSLog {
  try await log.make()
  return log
}

private func counterReplica(on log: any Log, _ replica: String) -> SharedStore<Counter, Void> {
  SharedStore(
    state: Counter(), versions: [.version(1, reducer: counter)], format: counterFormat,
    replica: replica, log: log)
}

/// Servers that were just started take a while.
private func ready(_ replica: SharedStore<Counter, Void>) async throws {
  do { try await replica.catchUp() } catch { try await replica.catchUp() }
}

/// How many entries of 100 bytes a second one after the other.
private func ownRate(of log: any Log) async throws -> Double {
  let replica = counterReplica(on: log, "0")
  try await ready(replica)
  await replica.close()
  let entry = [UInt8](repeating: 7, count: 100)
  let start = ContinuousClock.now
  var count = 0
  while ContinuousClock.now - start < .seconds(1) {
    _ = try await log.append(entry, within: .seconds(10))
    count += 1
  }
  return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
}

/// 64 tasks on each replica send 32 intents each, one after the other.
private func load(
  _ replicas: [SharedStore<Counter, Void>]
) async throws -> (rate: Double, latencies: [Double]) {
  let start = ContinuousClock.now
  let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
    for replica in replicas {
      for _ in 0..<64 {
        group.addTask {
          var latencies: [Double] = []
          for _ in 0..<32 {
            let start = ContinuousClock.now
            try await replica.send(CounterIntent.increment)
            latencies.append((ContinuousClock.now - start) / .seconds(1))
          }
          return latencies
        }
      }
    }
    return try await group.reduce(into: []) { $0 += $1 }
  }
  return (
    Double(latencies.count) / ((ContinuousClock.now - start) / .seconds(1)), latencies.sorted()
  )
}
