import Glue
import GlueJournal
import GlueSimulation

// A program as it runs in production: what it takes from the system comes in.

struct Orders: Codable, Sendable { var status: [Int: String] = [:] }
enum OrderIntent: Intent, Codable { case place(Int), paid(Int) }
struct Charge: Effect, Codable, Equatable { var order: Int }

@Sendable func orders(state: inout Orders, intent: OrderIntent) -> [any Effect] {
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

protocol Bank: Sendable { func charge(_ order: Int, key: String) async throws }

struct OrderService: Sendable {
  let store: Store<Orders>
  let journal: Journal<Orders>

  init(disk: Disk, clock: any Clock<Duration>, bank: some Bank) throws {
    let format = JournalFormat(
      of: Orders.self, intents: [.named("order", OrderIntent.self)],
      effects: [.named("charge", Charge.self)])
    journal = try Journal(at: "/orders", on: disk, format)
    store = try Store(state: Orders(), reducer: orders, clock: clock, journal: journal)
    store.on(Charge.self) { charge, dispatch async in
      while (try? await bank.charge(charge.order, key: "order \(charge.order)")) == nil {
        try? await clock.sleep(for: .seconds(1))
      }
      dispatch(OrderIntent.paid(charge.order))
    }
  }

  func place(_ id: Int) async throws {
    store.dispatch(OrderIntent.place(id))
    try await journal.synced()
  }
}

// The outside of its machine.

actor TestBank {
  private(set) var keys: [Int: [String]] = [:]

  func charge(_ order: Int, _ key: String) {
    if keys[order]?.contains(key) != true { keys[order, default: []].append(key) }
  }
}

struct RemoteBank: Bank {
  let bank: TestBank
  let machine: Node

  init(_ bank: TestBank, _ machine: Node) { (self.bank, self.machine) = (bank, machine) }

  func charge(_ order: Int, key: String) async throws {
    try await machine.call("charge \(order)") { [bank] in await bank.charge(order, key) }
  }
}
