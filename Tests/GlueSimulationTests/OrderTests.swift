import Glue
import GlueSimulation
import Testing

@Suite("A program in a simulated world")
struct OrderTests {
  @Test func ordersSurviveEverything() async {
    await simulate(seeds: 50, twice: 50) { world in
      let bank = TestBank()
      let service = world.machine("orders") {
        try OrderService(disk: $0.disk, clock: $0.clock, bank: RemoteBank(bank, $0))
      }
      var placed: [Int] = []
      for id in 1...10 where (try? await service.call { try await $0.place(id) }) != nil {
        placed.append(id)
      }
      await world.eventually("all orders are paid") { [placed] in
        try await service.call { app in placed.allSatisfy { app.store.state.status[$0] == "paid" } }
      }
      for (order, keys) in await bank.keys {
        world.expect(keys.count == 1, "order \(order) was charged \(keys.count) times")
      }
    }
  }
}
