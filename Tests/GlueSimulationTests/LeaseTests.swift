import Foundation
import Glue
import GlueCluster
import GlueJournal
import GlueSimulation
import GlueTesting
import Testing

/// Clients take turns in a section: the lease on it is kept by three replicas.
@Suite("A lease service on three replicas, and its planted bugs")
struct LeaseTests {
  @Test("without a bug it holds")
  func noBug() async {
    await simulateOften(dividedBy: 4, faults: Self.faults) { try await takeTurns($0) }
  }

  private static var faults: World.Faults {
    var faults = World.Faults()
    faults.partitions = 0.005
    faults.clockJumps = 0.002
    faults.duplicatedRequests = 0.05
    return faults
  }

  private static func failure(_ bug: LeaseBug) async -> String {
    await PlantedTests.failure(faults: faults) { try await takeTurns($0, bug) }
  }

  @Test(
    "two clients are in the section at once",
    arguments: [LeaseBug.answersEarly, .releasedByAnyone, .expiryIgnored, .wallClock])
  private func overlap(bug: LeaseBug) async {
    #expect(await Self.failure(bug).contains("while it is used by"))
  }

  @Test("the reducer asks for the time, so the replicas differ")
  func timeInReducer() async {
    #expect(await Self.failure(.timeInReducer).contains("differs"))
  }
}

private enum LeaseBug: Sendable {
  case none
  case answersEarly, releasedByAnyone, expiryIgnored, wallClock, timeInReducer
}

/// Times are in milliseconds.
private struct Lease: Codable, Equatable, Sendable {
  var holder: String
  var end: Int

  /// A release that comes late or twice ends no later lease of its client.
  var number: Int
}

private struct Leases: Codable, Equatable, Sendable {
  var lease: Lease?
  var now = 0
  var taken = 0
}

private enum LeaseIntent: Intent, Codable { case take(String, at: Int), release(Int) }

private func leases(_ bug: LeaseBug) -> @Sendable (inout Leases, LeaseIntent) -> [any Effect] {
  { state, intent in
    switch intent {
    case .take(let client, let time):
      state.now = max(state.now, bug == .timeInReducer ? wallTime : time)
      if let lease = state.lease, lease.holder != client, lease.end > state.now { return [] }
      state.taken += 1
      state.lease = Lease(holder: client, end: state.now + 5000, number: state.taken)
    case .release(let number):
      if bug == .releasedByAnyone || state.lease?.number == number { state.lease = nil }
    }
    return []
  }
}

private var wallTime: Int { Int(Date().timeIntervalSince1970 * 1000) - 1_700_000_000_000 }

private struct LeaseService: Sendable {
  let shared: SharedStore<Leases, Void>
  let node: Node
  let bug: LeaseBug

  init(_ node: Node, _ log: MemoryLog, _ bug: LeaseBug) {
    (self.node, self.bug) = (node, bug)
    shared = SharedStore(
      state: Leases(), versions: [.version(1, reducer: leases(bug))],
      format: JournalFormat(of: Leases.self, intents: [.named("lease", LeaseIntent.self)]),
      replica: node.name, log: node.connection(to: log, faults: .many), deadline: .seconds(2),
      snapshotEvery: 10, clock: node.clock,
      report: { event in
        node.world.tell("\(node.name): \(event)")
        if case .differs = event { node.world.expect(false, "\(node.name): \(event)") }
      })
  }

  private var time: Int {
    bug == .wallClock ? wallTime : Int(node.clock.now.offset / .milliseconds(1))
  }

  private var lease: Lease? { shared.store.state.state.lease }

  /// - Returns: the client's lease; nil if it has none.
  func take(for client: String) async throws -> Lease? {
    if bug == .answersEarly, (lease?.end ?? 0) <= time {
      Task(executorPreference: node.clock.executor) { [shared, time] in
        try await shared.send(LeaseIntent.take(client, at: time))
      }
      return Lease(holder: client, end: time + 5000, number: 0)
    }
    try await shared.send(LeaseIntent.take(client, at: time))
    return lease.flatMap { $0.holder == client ? $0 : nil }
  }

  func release(_ lease: Lease) async throws {
    try await shared.send(LeaseIntent.release(lease.number))
  }
}

@Sendable
private func takeTurns(_ world: World, _ bug: LeaseBug = .none) async throws {
  let log = MemoryLog(clock: world.clock)
  let replicas = ["a", "b", "c"].map { name in
    world.machine(name) { LeaseService($0, log, bug) }
  }
  let user = Shared<String?>(nil)
  await withTaskGroup { clients in
    for client in ["x", "y", "z"] {
      clients.addTask {
        for _ in 1...12 {
          try? await world.clock.sleep(for: world.pick(.zero...Duration.seconds(1)))
          let replica = replicas[world.pick(0...2)]
          let answer = try? await replica.call("take by \(client)") {
            try await $0.take(for: client)
          }
          guard let lease = answer else { continue }
          let now = Int(world.clock.now.offset / .milliseconds(1))
          let wanted = now + world.pick(100...8000)
          let last = bug == .expiryIgnored ? wanted : min(wanted, lease.end)
          if last <= now { continue }
          world.expect(
            user.value == nil, "\(client) uses the section while it is used by \(user.value ?? "")")
          user.change { $0 = client }
          world.tell("\(client) uses the section")
          try? await world.clock.sleep(for: .milliseconds(last - now))
          user.change { $0 = nil }
          for _ in 1...3 {
            let other = replicas[world.pick(0...2)]
            let released: Void? = try? await other.call("release by \(client)") {
              try await $0.release(lease)
            }
            if released != nil { break }
          }
        }
      }
    }
  }
  await world.eventually("all replicas agree") {
    var states: [Leases] = []
    for replica in replicas {
      states.append(
        try await replica.call { service in
          try await service.shared.catchUp()
          return service.shared.store.state.state
        })
    }
    return states.allSatisfy { $0 == states[0] }
  }
}
