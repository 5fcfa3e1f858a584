import ArgumentParser
import Foundation
import Glue
import GlueCluster
import GlueConsole
import LocalServers
import GlueNATS
import Synchronization

/// However it ends, it ends its servers and deletes their folder.
struct Demo: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Starts three NATS servers and three replicas here, kills a server, and counts.")

  func run() async throws {
    let console = Console()
    let servers = try NATSServers()
    defer { servers.end() }
    let demonstration = try Demonstration(console, servers)
    let work = Task {
      defer { console.end() }
      try await demonstration.run()
    }
    let end = await console.run(demonstration.replicas[0].store)
    work.cancel()
    if end.signal != nil {
      servers.end()
      end.exit()
    }
    try await work.value
  }
}

private final class Demonstration: Sendable {
  let replicas: [SharedStore<Ledger, Void>]
  private let logs: [NATSLog]
  private let console: Console
  private let servers: NATSServers
  private let dead = Mutex<Int?>(nil)
  private let each = 150

  init(_ console: Console, _ servers: NATSServers) throws {
    (self.console, self.servers) = (console, servers)
    let logs = try (0..<3).map { _ in try NATS(servers.urls).log("demo", copies: 3) }
    replicas = logs.enumerated().map { number, log in
      sharedLedger(on: log, "replica \(number + 1)") { event in
        if case .ownerChanged = event { return }
        console.write("replica \(number + 1): \(event)")
      }
    }
    self.logs = logs
  }

  func run() async throws {
    console.write("Three servers start. Ctrl-C ends them.")
    try await logs[0].make()
    try await replicas[0].sendSurely(.write("first"))
    console.write("Three replicas send \(each) lines each, 20 a second.")
    let status = replicas[0].store.subscribe(selector: \.state.lines.count) { self.show($0) }
    async let sending = sendAll()
    try await harm()
    let (failed, longest) = await sending
    status.cancel()
    console.status(nil)
    console.write("All sent: \(failed) failed, the longest took \(longest.formatted).")
    try await count()
  }

  private func show(_ count: Int) {
    let dead = dead.withLock { $0 }
    let lights = (0..<3).map { $0 == dead ? "✗" : "●" }.joined(separator: " ")
    console.status("servers \(lights)   \(count) of \(3 * each + 1) lines")
  }

  /// Kills the leader when a third has been sent, and starts it again a little later.
  private func harm() async throws {
    for await count in replicas[0].store.values(of: \.state.lines.count) where count > each {
      break
    }
    let leader = try await logs[0].leader().flatMap { Int($0.suffix(1)) } ?? 0
    let start = ContinuousClock.now
    servers.servers[leader].kill()
    dead.withLock { $0 = leader }
    let before = replicas[0].store.state.state.lines.count
    show(before)
    console.write("Server \(leader + 1), which led, is killed. Sends wait for an election …")
    for await count in replicas[0].store.values(of: \.state.lines.count) where count > before + 3 {
      break
    }
    console.write("… and go on after \((ContinuousClock.now - start).formatted).")
    try await Task.sleep(for: .seconds(2))
    try servers.servers[leader].start()
    dead.withLock { $0 = nil }
    console.write("Server \(leader + 1) is started again.")
  }

  /// Sends from all replicas at once; returns how many sends failed, and the longest time.
  private func sendAll() async -> (failed: Int, longest: Duration) {
    await withTaskGroup(of: (Int, Duration).self) { group in
      for (number, replica) in replicas.enumerated() {
        group.addTask { [each] in
          var (failed, longest) = (0, Duration.zero)
          for line in 0..<each where !Task.isCancelled {
            let start = ContinuousClock.now
            let position = try? await replica.send(LedgerIntent.write("\(number).\(line)"))
            failed += position == nil ? 1 : 0
            longest = max(longest, ContinuousClock.now - start)
            try? await Task.sleep(for: .milliseconds(50))
          }
          return (failed, longest)
        }
      }
      return await group.reduce((0, .zero)) { ($0.0 + $1.0, max($0.1, $1.1)) }
    }
  }

  /// Compares all replicas with each other, and with a new one.
  private func count() async throws {
    let new = sharedLedger(on: try NATS(servers.urls).log("demo", copies: 3), "new")
    var states: [Ledger] = []
    for replica in replicas + [new] { try await replica.catchUp() }
    for replica in replicas + [new] {
      let state = replica.store.state.state
      states.append(state)
      console.write("\(state.lines.count) lines, \(Set(state.lines).count) different")
    }
    for replica in replicas + [new] { await replica.close() }
    guard states.allSatisfy({ $0 == states[0] }) else {
      console.write("The replicas differ.")
      throw ExitCode.failure
    }
    console.write("The replicas are equal, and so is one that started just now.")
  }
}

extension Duration {
  fileprivate var formatted: String { formatted(.units(fractionalPart: .show(length: 1))) }
}
