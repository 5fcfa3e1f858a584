import Foundation
import Glue
import GlueJournal
import GlueSimulation
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

struct Orders: Codable, Sendable {
  var status: [Int: String] = [:]
}

enum OrderIntent: Intent, Codable { case place(Int), paid(Int) }
struct Charge: Effect, Codable, Equatable { var order: Int }

func orders(state: inout Orders, intent: OrderIntent) -> [any Effect] {
  switch intent {
  case .place(let id) where state.status[id] == nil:
    state.status[id] = "open"
    return [Charge(order: id)]
  case .place: return []
  case .paid(let id):
    state.status[id] = "paid"
    return []
  }
}

protocol Bank: Sendable {
  func charge(_ order: Int, key: String) async throws
}

actor TestBank {
  private(set) var charges: [Int: Set<String>] = [:]

  func charge(_ order: Int, _ key: String) { charges[order, default: []].insert(key) }
}

struct RemoteBank: Bank {
  let bank: TestBank
  let node: Node

  func charge(_ order: Int, key: String) async throws {
    try await node.call("charge \(order)") { await bank.charge(order, key) }
  }
}

enum Request: Equatable { case place(Int), isPlaced(Int) }

@Suite("Simulating a program")
struct SimulatingAProgram {
  /// The service before the article mends it.
  @Suite("the bug is found")
  struct Broken {
    struct OrderService: Sendable {
      let store: Store<Orders>
      let journal: Journal<Orders>

      init(
        disk: Disk = .system, clock: any Clock<Duration> = ContinuousClock(), bank: some Bank
      ) throws {
        let format = JournalFormat(
          of: Orders.self, intents: [.named("order", OrderIntent.self)],
          effects: [.atLeastOnce("charge", Charge.self)])
        journal = try Journal(at: "/var/lib/orders", on: disk, format)
        store = try Store(
          state: Orders(), reducer: orders, clock: clock, journal: journal,
          handlers: { handlers in
            handlers.on(Charge.self) { charge, dispatch async in
              while (try? await bank.charge(charge.order, key: UUID().uuidString)) == nil {
                do { try await clock.sleep(for: .seconds(1)) } catch { return }
              }
              dispatch(OrderIntent.paid(charge.order))
            }
          })
      }

      func place(_ id: Int) async throws {
        store.dispatch(OrderIntent.place(id))
        try await journal.synced()
      }
    }

    @Test("in the article's words")
    func found() async throws {
      let failures = await FailureCollector.failures { await ordersSurviveEverything() }
      let message = failures.map(\.message).joined(separator: "\n")
      #expect(message.contains(try story()), "\(message)")
    }

    /// The article's text of the failure.
    private func story() throws -> String {
      let article = try text("Sources/GlueSimulation/GlueSimulation.docc/SimulatingAProgram.md")
      let start = try #require(article.range(of: "```text\n")).upperBound
      return String(article[start...].prefix { $0 != "`" }).trimmingCharacters(in: .newlines)
    }

    func ordersSurviveEverything() async {
      await simulate(seeds: 200) { world in
        let bank = TestBank()
        let service = world.machine("orders") { node in
          try OrderService(
            disk: node.disk, clock: node.clock, bank: RemoteBank(bank: bank, node: node))
        }
        var placed: [Int] = []
        for id in 1...10 {
          try await world.clock.sleep(for: .seconds(1))
          if (try? await service.call { try await $0.place(id) }) != nil { placed.append(id) }
        }
        await world.eventually("all orders are paid") { [placed] in
          try await service.call { app in
            placed.allSatisfy { app.store.state.status[$0] == "paid" }
          }
        }
        for (order, keys) in await bank.charges.sorted(by: { $0.key < $1.key }) {
          world.expect(keys.count == 1, "order \(order) was charged \(keys.count) times")
        }
      }
    }
  }

  struct OrderService: Sendable {
    let store: Store<Orders>
    let journal: Journal<Orders>

    init(
      disk: Disk = .system, clock: any Clock<Duration> = ContinuousClock(), bank: some Bank
    ) throws {
      let format = JournalFormat(
        of: Orders.self, intents: [.named("order", OrderIntent.self)],
        effects: [.atLeastOnce("charge", Charge.self)])
      journal = try Journal(at: "/var/lib/orders", on: disk, format)
      store = try Store(
        state: Orders(), reducer: orders, clock: clock, journal: journal,
        handlers: { handlers in
          handlers.on(Charge.self) { charge, dispatch async in
            while (try? await bank.charge(charge.order, key: "order \(charge.order)")) == nil {
              do { try await clock.sleep(for: .seconds(1)) } catch { return }
            }
            dispatch(OrderIntent.paid(charge.order))
          }
        })
    }

    func place(_ id: Int) async throws {
      store.dispatch(OrderIntent.place(id))
      try await journal.synced()
    }
  }

  @Test func ordersSurviveEverything() async {
    await simulate(seeds: 200) { world in
      let bank = TestBank()
      let service = world.machine("orders") { node in
        try OrderService(
          disk: node.disk, clock: node.clock, bank: RemoteBank(bank: bank, node: node))
      }
      var placed: [Int] = []
      for id in 1...10 {
        try await world.clock.sleep(for: .seconds(1))
        if (try? await service.call { try await $0.place(id) }) != nil { placed.append(id) }
      }
      await world.eventually("all orders are paid") { [placed] in
        try await service.call { app in
          placed.allSatisfy { app.store.state.status[$0] == "paid" }
        }
      }
      for (order, keys) in await bank.charges.sorted(by: { $0.key < $1.key }) {
        world.expect(keys.count == 1, "order \(order) was charged \(keys.count) times")
      }
    }
  }

  @Test("a service that forgets synced() is found")
  func forgotten() async {
    let failures = await FailureCollector.failures {
      await simulate(seeds: 200) { world in
        let service = orderService(in: world)
        var placed: [Int] = []
        for id in 1...10 {
          try await world.clock.sleep(for: .seconds(1))
          let answer: Void? = try? await service.call { $0.store.dispatch(OrderIntent.place(id)) }
          if answer != nil { placed.append(id) }
        }
        await world.eventually("all orders are paid") { [placed] in
          try await service.call { app in
            placed.allSatisfy { app.store.state.status[$0] == "paid" }
          }
        }
      }
    }
    let message = failures.map(\.message).joined(separator: "\n")
    #expect(message.contains("all orders are paid: not so"))
    #expect(message.contains("orders: another thread delivers"))
  }

  @Test("the table has the default faults")
  func defaults() throws {
    let article = try text("Sources/GlueSimulation/GlueSimulation.docc/SimulatingAProgram.md")
    let faults = World.Faults()
    for (share, what) in [
      (faults.crashesAtFileCalls, "of these calls"), (faults.crashesAtCalls, "of the calls each"),
      (faults.crashesAtSteps, "of the steps"), (faults.powerFailures, "of the crashes"),
      (faults.lostRequests, "of the calls each"), (faults.lostReplies, "of the calls each"),
      (faults.contendedDeliveries, "of the immediate ones"),
    ] {
      #expect(article.contains("` | \(String(format: "%g", share * 100)) % \(what) |"))
    }
    #expect(article.contains("`buggified` | \(String(format: "%g", faults.buggified * 100)) % |"))
    let none = [
      faults.failedFileCalls, faults.slowFileCalls, faults.rottenFiles, faults.partitions,
      faults.duplicatedRequests, faults.clockJumps, faults.rollbacks,
    ]
    #expect(none.allSatisfy { $0 == 0 })
    #expect(faults.latency == .milliseconds(1)...(.milliseconds(50)))
    #expect(faults.downtime == .milliseconds(10)...(.seconds(5)))
  }

  @Test func theFaultsOfDisksAndNetworks() async {
    var faults = World.Faults()
    faults.failedFileCalls = 0.001
    faults.slowFileCalls = 0.01
    faults.partitions = 0.01
    await simulate(seeds: 20, faults: faults) { world in
      let service = orderService(in: world)
      await world.eventually("it is up") { service.isUp }
    }
  }

  @Test("clients get answers as if one had come after the other")
  func clients() async {
    await simulate(seeds: 200) { world in
      let bank = TestBank()
      let service = world.machine("orders") { node in
        try OrderService(
          disk: node.disk, clock: node.clock, bank: RemoteBank(bank: bank, node: node))
      }
      let requests = CallHistory<Request, Bool>()
      await withTaskGroup { clients in
        for _ in 1...3 {
          clients.addTask {
            for id in 1...5 {
              try? await world.clock.sleep(for: world.pick(.zero...Duration.seconds(5)))
              _ = try? await requests.call(.isPlaced(id)) {
                try await service.call { app in
                  try await app.journal.synced()
                  return app.store.state.status[id] != nil
                }
              }
              _ = try? await requests.call(.place(id)) {
                try await service.call { try await $0.place(id) }
                return true
              }
            }
          }
        }
      }
      world.expectLinearizable(requests, from: Set<Int>()) { placed, request in
        switch request {
        case .place(let id):
          placed.insert(id)
          return true
        case .isPlaced(let id): return placed.contains(id)
        }
      }
    }
  }

  @Test("an answer that a crash takes back is found")
  func takenBack() async {
    let failures = await FailureCollector.failures {
      await simulate(seeds: 200) { world in
        let service = orderService(in: world)
        let requests = CallHistory<Request, Bool>()
        for id in 1...10 {
          _ = try? await requests.call(.place(id)) {
            try await service.call { $0.store.dispatch(OrderIntent.place(id)) }
            return true
          }
          try await world.clock.sleep(for: .seconds(6))
          _ = try? await requests.call(.isPlaced(id)) {
            try await service.call { $0.store.state.status[id] != nil }
          }
        }
        world.expectLinearizable(requests, from: Set<Int>()) { placed, request in
          if case .place(let id) = request { placed.insert(id) }
          return if case .isPlaced(let id) = request { placed.contains(id) } else { true }
        }
      }
    }
    let message = failures.map(\.message).joined(separator: "\n")
    #expect(message.contains("no order of the calls explains that isPlaced("), "\(message)")
    #expect(message.contains(") was answered false"))
  }

  private func orderService(in world: World) -> Machine<OrderService> {
    let bank = TestBank()
    return world.machine("orders") { node in
      try OrderService(
        disk: node.disk, clock: node.clock, bank: RemoteBank(bank: bank, node: node))
    }
  }
}
