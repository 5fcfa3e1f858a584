import Foundation
import Glue
import GlueJournal
import GlueSimulation
import GlueTesting
import Testing

/// A shop has its prices sent to a label in another machine, which counts them.
@Suite("An outbox and an inbox, and their planted bugs")
struct OutboxTests {
  @Test("without a bug they hold")
  func noBug() async {
    await simulateOften(faults: Self.faults) { try await sendPrices($0) }
  }

  private static var faults: World.Faults {
    var faults = World.Faults()
    faults.partitions = 0.01
    faults.duplicatedRequests = 0.05
    faults.lostReplies = 0.1
    return faults
  }

  @Test(
    "each bug is found within sixty seeds",
    arguments: [
      (OutboxBug.countsTwice, "counted"), (.forgetsSeen, "counted"), (.answersEarly, "counted"),
      (.markedBeforeSent, "counted"), (.isNotNamed, "every price is sent: not so"),
      (.triesOnce, "every price is sent: not so"), (.lastWins, "the label shows"),
    ])
  private func found(bug: OutboxBug, expected: String) async {
    let failure = await PlantedTests.failure(seeds: 60, faults: Self.faults) {
      try await sendPrices($0, bug)
    }
    #expect(failure.contains(expected))
  }
}

private enum OutboxBug: Sendable {
  case none
  case countsTwice, forgetsSeen, answersEarly, markedBeforeSent, isNotNamed, triesOnce, lastWins
}

// MARK: - The outbox

private struct Outbox: Codable, Sendable {
  var prices: [Int] = []
  var sent: Set<Int> = []
}

private enum OutboxIntent: Intent, Codable { case set(Int), sent(Int) }
private struct SendPrice: Effect, Codable, Equatable { var price: Int }

@Sendable private func outbox(state: inout Outbox, intent: OutboxIntent) -> [any Effect] {
  switch intent {
  case .set(let price):
    if state.prices.contains(price) { return [] }
    state.prices.append(price)
    return [SendPrice(price: price)]
  case .sent(let price):
    state.sent.insert(price)
    return []
  }
}

private struct Shop: Sendable {
  let store: Store<Outbox>
  let journal: Journal<Outbox>

  init(
    _ node: Node, _ bug: OutboxBug, send: @escaping @Sendable (Int) async throws -> Void
  ) throws {
    let effect = RecordedEffect.named("send", SendPrice.self)
    let format = JournalFormat(
      of: Outbox.self, intents: [.named("outbox", OutboxIntent.self)],
      effects: bug == .isNotNamed ? [] : [effect])
    journal = try Journal(at: "/outbox", on: node.disk, format)
    store = try Store(
      state: Outbox(), reducer: outbox, clock: node.clock, report: { _ in }, journal: journal,
      handlers: { handlers in
        handlers.on(SendPrice.self) { effect, dispatch async in
          if bug == .markedBeforeSent { dispatch(OutboxIntent.sent(effect.price)) }
          while (try? await node.call("price \(effect.price)") { try await send(effect.price) })
            == nil
          {
            if bug == .triesOnce { return }
            do { try await node.clock.sleep(for: .seconds(1)) } catch { return }
          }
          dispatch(OutboxIntent.sent(effect.price))
        }
      })
  }
}

// MARK: - The inbox

private struct Inbox: Codable, Sendable {
  var seen: Set<Int> = []
  var counts: [Int: Int] = [:]
  var label = 0
}

private struct PriceCame: Intent, Codable { var price: Int }

private struct Label: Sendable {
  let store: Store<Inbox>
  let journal: Journal<Inbox>
  let bug: OutboxBug
  private let seen = Shared<Set<Int>>([])

  init(_ node: Node, _ bug: OutboxBug) throws {
    self.bug = bug
    journal = try Journal(
      at: "/inbox", on: node.disk,
      JournalFormat(of: Inbox.self, intents: [.named("price", PriceCame.self)]),
      durability: bug == .answersEarly ? .written : .synced)
    store = try Store(
      state: Inbox(),
      reducer: { (state: inout Inbox, intent: PriceCame) in
        let price = intent.price
        let isNew = state.seen.insert(price).inserted
        if !isNew && bug != .countsTwice && bug != .forgetsSeen { return [] }
        state.counts[price, default: 0] += 1
        state.label = bug == .lastWins ? price : max(state.label, price)
        return []
      }, clock: node.clock, journal: journal)
  }

  func receive(_ price: Int) async throws {
    if bug == .forgetsSeen {
      if seen.value.contains(price) { return }
      seen.change { $0.insert(price) }
    }
    store.dispatch(PriceCame(price: price))
    if bug != .answersEarly { try await journal.synced() }
  }
}

@Sendable
private func sendPrices(_ world: World, _ bug: OutboxBug = .none) async throws {
  let label = world.machine("label") { try Label($0, bug) }
  let shop = world.machine("shop") { node in
    try Shop(node, bug) { price in
      try await label.call("price \(price)") { try await $0.receive(price) }
    }
  }
  for price in 1...10 {
    try await world.clock.sleep(for: world.pick(.zero...Duration.seconds(1)))
    try? await shop.call("set \(price)") { shop in
      shop.store.dispatch(OutboxIntent.set(price))
      try await shop.journal.synced()
    }
  }
  await world.eventually("every price is sent") {
    try await shop.call { $0.store.state.sent == Set($0.store.state.prices) }
  }
  let prices = try await shop.call { $0.store.state.prices }
  let inbox = try await label.call { $0.store.state }
  for price in prices {
    let count = inbox.counts[price] ?? 0
    world.expect(count == 1, "price \(price) is counted \(count) times")
  }
  let newest = prices.max() ?? 0
  world.expect(inbox.label == newest, "the label shows \(inbox.label), and the newest is \(newest)")
}
