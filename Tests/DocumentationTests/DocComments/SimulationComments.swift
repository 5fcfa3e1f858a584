import Glue
import GlueSimulation
import Testing

// The code of GlueSimulation's documentation comments; `DocCommentTests` compares them.

@Suite("The documentation comments of simulations")
struct SimulationComments {
  typealias OrderService = SimulatingAProgram.OrderService

  @Test func anOrderSurvives() async {
    await simulate(seeds: 100) { world in
      let bank = TestBank()
      let service = world.machine("orders") { node in
        try OrderService(
          disk: node.disk, clock: node.clock, bank: RemoteBank(bank: bank, node: node))
      }
      guard (try? await service.call { try await $0.place(1) }) != nil else { return }
      await world.eventually("the order is paid") {
        try await service.call { $0.store.state.status[1] == "paid" }
      }
    }
  }
}
