import Glue
import LocalServers
import NATSLog
import GlueCluster

/// Starts a small cluster on this machine, kills a server under load, and counts.
func demo() async throws {
  say("Starting three servers …")
  let servers = try NATSServers()
  defer { servers.end() }
  try await NATS(servers.urls).log("demo", copies: 3).make()
  let replicas = try (0..<3).map {
    sharedLedger(on: try NATS(servers.urls).log("demo", copies: 3), "\($0)")
  }
  try await replicas[0].send(LedgerIntent.write("first"))
  say("Three replicas send 200 lines each; a server is killed under them.")
  async let sending = send(200, from: replicas)
  for await lines in replicas[0].store.values(of: \.state.lines.count) where lines > 200 {
    servers.servers[0].kill()
    say("Killed server 1 at line \(lines).")
    break
  }
  let (failed, longest) = await sending
  say("All sent: \(failed) failed, the longest took \(longest).")

  let new = sharedLedger(on: try NATS(servers.urls).log("demo", copies: 3), "new")
  var states: [Replicated<Ledger, Void>] = []
  for replica in replicas + [new] {
    try await replica.catchUp()
    states.append(replica.store.state)
    say("\(states.last!.state.lines.count) lines, \(Set(states.last!.state.lines).count) different")
  }
  for replica in replicas + [new] { await replica.close() }
  guard states.allSatisfy({ $0.state == states[0].state }) else {
    throw Mistake("The replicas differ.")
  }
  say("The replicas are equal, and so is one that started just now.")
}

/// Sends from all at once; how many failed, and how long the slowest took.
private func send(
  _ count: Int, from replicas: [SharedStore<Ledger, Void>]
) async -> (failed: Int, longest: Duration) {
  await withTaskGroup(of: (Bool, Duration).self) { group in
    for (number, replica) in replicas.enumerated() {
      for line in 0..<count {
        group.addTask {
          let start = ContinuousClock.now
          let position = try? await replica.send(LedgerIntent.write("\(number).\(line)"))
          return (position == nil, ContinuousClock.now - start)
        }
      }
    }
    return await group.reduce(into: (0, .zero)) { sum, result in
      sum = (sum.0 + (result.0 ? 1 : 0), max(sum.1, result.1))
    }
  }
}
