import ArgumentParser
import Foundation
import Glue
import LocalServers
import GlueNATS
import GluePostgreSQL
import GlueCluster
import GlueJournal

struct Figures: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts the engines here, and measures them and the replicas, in one run.")

  @Flag(help: "Measures just the engines' ratios.")
  var ratios = false

  func run() async throws {
    let (three, one, server) = (try NATSServers(3), try NATSServers(1), try PostgreSQLServer())
    defer { for end in [three.end, one.end, server.end] { end() } }
    try await measureRatios(one: one, three: three, server)
    if ratios { return }
    say("| engine | its own appends of 100 B/s | replicas | intents/s | p50 ms | p99 ms |")
    say("|---|---|---|---|---|---|")
    // Each measurement has a log of its own, for a number of replicas.
    try await measure("memory") { _, count in
      let log = MemoryLog(clock: ContinuousClock())
      return (0..<count).map { _ in log.connection() }
    }
    for (engine, urls) in [("NATS, 1 server", one.urls), ("NATS, 3 servers", three.urls)] {
      try await measure(engine) { name, count in
        let logs = try (0..<count).map { _ in try NATS(urls).log(name, copies: urls.count) }
        try await logs[0].make()
        return logs
      }
    }
    try await measure("PostgreSQL") { name, count in
      try (0..<count).map { _ in try PostgreSQL(server.address).log(name) }
    }
  }

  private func measure(
    _ engine: String, _ make: (_ name: String, _ count: Int) async throws -> [any Log]
  ) async throws {
    let own = try await ownRate(of: try await make("own", 1)[0])
    for count in [1, 3, 10] {
      let logs = try await make("for\(count)", count)
      let replicas = logs.enumerated().map { counterReplica(on: $1, "\($0)") }
      for replica in replicas { try await ready(replica) }
      let (rate, latencies) = try await load(replicas)
      let (p50, p99) = (latencies[latencies.count / 2], latencies[latencies.count * 99 / 100])
      say(
        "| \(engine) | \(Int(own)) | \(count) | \(Int(rate)) "
          + "| \(String(format: "%.1f | %.1f", p50 * 1_000, p99 * 1_000)) |")
      for replica in replicas { await replica.close() }
    }
  }
}

extension Figures {
  /// Compares sends of one replica with what the engine's client does alone, in turns.
  private func measureRatios(
    one: NATSServers, three: NATSServers, _ server: PostgreSQLServer
  ) async throws {
    say("| engine | senders | the client's own/s | sends/s | ratio |")
    say("|---|---|---|---|---|")
    for (engine, urls) in [("NATS, 1 server", one.urls), ("NATS, 3 servers", three.urls)] {
      let log = try NATS(urls).log("ratio", copies: urls.count)
      try await log.make()
      let raw = RawNATS(urls[0], copies: urls.count)
      try await measureRatios(engine, on: log) { await raw.rate(senders: $0) }
    }
    let log = try PostgreSQL(server.address).log("ratio")
    let raw = RawPostgreSQL(server.address)
    try await measureRatios("PostgreSQL", on: log) { await raw.rate(senders: $0) }
  }

  private func measureRatios(
    _ engine: String, on log: any Log, _ raw: (_ senders: Int) async -> Double
  ) async throws {
    let replica = counterReplica(on: log, "0")
    try await ready(replica)
    for senders in [1, 16] {
      var (own, sends) = (0.0, 0.0)
      for _ in 0..<5 {
        own += await raw(senders) / 5
        sends += try await rate(of: replica, senders: senders) / 5
      }
      let ratio = String(format: "%.2f", sends / own)
      say("| \(engine) | \(senders) | \(Int(own)) | \(Int(sends)) | \(ratio) |")
    }
    await replica.close()
  }

  private func rate(of replica: SharedStore<Counter, Void>, senders: Int) async throws -> Double {
    let start = ContinuousClock.now
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<senders {
        group.addTask {
          var count = 0
          while ContinuousClock.now - start < .seconds(1) {
            try await replica.send(CounterIntent.increment)
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((ContinuousClock.now - start) / .seconds(1))
  }
}

private func counterReplica(on log: any Log, _ replica: String) -> SharedStore<Counter, Void> {
  SharedStore(
    state: Counter(), versions: [.version(1, reducer: counter)], format: counterFormat,
    replica: replica, log: log)
}

/// Tries twice, because the servers have just started.
private func ready(_ replica: SharedStore<Counter, Void>) async throws {
  do { try await replica.catchUp() } catch { try await replica.catchUp() }
}

/// How many entries of 100 bytes a second the engine takes, one after the other.
private func ownRate(of log: any Log) async throws -> Double {
  let replica = counterReplica(on: log, "0")
  try await ready(replica)
  await replica.close()
  let entry = [UInt8](repeating: 7, count: 100)
  let start = ContinuousClock.now
  var count = 0
  while ContinuousClock.now - start < .seconds(1) {
    _ = try await log.append(entry, in: nil, within: .seconds(10))
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
