import Dispatch
import Foundation
import Glue
import GlueCluster
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

/// Bugs that are planted in small programs: the simulation finds each within twenty seeds.
@Suite("Planted bugs")
struct PlantedTests {
  /// Why the first of some seeds fails that does, without a search for its shortest story.
  static func failure(
    seeds: UInt64 = 20, faults: World.Faults = World.Faults(),
    of body: @escaping @Sendable (World) async throws -> Void
  ) async -> String {
    let place = Place(fileID: #fileID, filePath: #filePath, line: #line, column: #column)
    let simulation = Simulation(faults: faults, place: place, body: body)
    for seed in 0..<seeds {
      if let failure = await simulation.run(seed).failure { return failure }
    }
    return "none"
  }

  /// The message of a simulation that must fail.
  static func message(
    seeds: Int = 20, twice: Int = 0, faults: World.Faults = World.Faults(),
    of body: @escaping @Sendable (World) async throws -> Void
  ) async -> String {
    let failures = await FailureCollector.failures {
      await simulate(seeds: seeds, faults: faults, twice: twice, body: body)
    }
    return failures.map(\.message).joined(separator: "\n")
  }

  @Test("the same programs without bugs hold")
  func noBug() async {
    await simulate(seeds: 20, twice: 20) { try await desks($0) }
    await simulate(seeds: 20, twice: 20) { try await bookings($0) }
  }

  @Test("1: a bank without an idempotency key charges twice")
  func notIdempotent() async {
    let message = await Self.message { try await desks($0, .notIdempotent) }
    #expect(message.contains("was charged 2 times"))
  }

  @Test("2: an order is acknowledged before it is on the disk")
  func acknowledgedEarly() async {
    let failure = await Self.failure { try await desks($0, .acknowledgedEarly) }
    #expect(failure.contains("is lost"))
  }

  @Test("3: a timer isn't restored")
  func lostTimer() async {
    let failure = await Self.failure { try await desks($0, .lostTimer) }
    #expect(failure.contains("every booking is mailed and released: not so"))
  }

  @Test("4: a reducer asks for the time")
  func impureTime() async {
    let failure = await Self.failure { try await desks($0, .date) }
    #expect(failure.contains("the reducer's result differs from the recording"))
  }

  @Test("5: a reducer keeps the order of a set")
  func impureOrder() async {
    let failure = await Self.failure { try await desks($0, .order) }
    #expect(failure.contains("the reducer's result differs from the recording"))
  }

  @Test("6: an effect that must happen has no name")
  func unnamedEffect() async {
    let failure = await Self.failure { try await desks($0, .unnamed) }
    #expect(failure.contains("every booking is mailed and released: not so"))
  }

  @Test("8: a state that says that the program ends survives")
  func staleEnd() async {
    let failure = await Self.failure { try await desks($0, .staleEnd) }
    #expect(failure.contains("desk: a crash loop: it has ended"))
  }

  @Test("9: two owners do an effect without a token")
  func noToken() async {
    let failure = await Self.failure { try await bookings($0, isFenced: false) }
    #expect(failure.contains(/was paid [2-9] times/))
  }

  @Test("10: a handler reads behind an array's end")
  func trap() async {
    let failure = await Self.failure { try await desks($0, .trap) }
    // Optimized code traps there without a message.
    #expect(
      failure.hasPrefix("desk stops: Index out of range")
        || failure.hasPrefix("desk stops: a trap (signal "))
  }

  @Test("11: a reducer uses its store")
  func misuse() async {
    let failure = await Self.failure { try await desks($0, .misuse) }
    #expect(failure.hasPrefix("desk stops: Glue: state was called on a store by that store's own"))
    #expect(failure.contains("\n  Right: "))
  }
}

// MARK: - A desk that takes bookings

/// Each booking is held for ten seconds, then released; it is charged, and a mail confirms it.
struct Desk: Codable, Sendable, Equatable {
  var held: [Int: Int] = [:]
  var mailed: [Int] = []
  var released: [Int] = []
  var since = 0.0
  var tags: [String] = []
  var isEnding = false
}

enum DeskIntent: Intent, Codable { case book(Int), release(Int), mailed(Int), end }
struct Mail: Effect, Codable, Equatable { var id: Int }
struct Release: Effect, Codable, Equatable { var id: Int }

enum Plant {
  case none, notIdempotent, acknowledgedEarly, lostTimer, date, order, unnamed
  case staleEnd, trap, misuse
}

func desk(_ plant: Plant) -> @Sendable (inout Desk, DeskIntent) -> [any Effect] {
  { state, intent in
    switch intent {
    case .book(let id):
      if state.held[id] != nil || state.released.contains(id) { return [] }
      state.held[id] = 1
      if plant == .date { state.since = Date().timeIntervalSince1970 }
      if plant == .order { state.tags = Array(Set(state.tags + ["t\(id)"])) }
      if plant == .lostTimer { return [Mail(id: id), Release(id: id)] }
      return [Mail(id: id), Release(id: id).scheduled(.delay(.seconds(10)), id: "release \(id)")]
    case .release(let id):
      state.held[id] = nil
      state.released.append(id)
    case .mailed(let id): if !state.mailed.contains(id) { state.mailed.append(id) }
    case .end: state.isEnding = true
    }
    return []
  }
}

final class Surroundings: Sendable {
  private let content = Locked<[Int: Int]>([:])

  var counts: [(id: Int, count: Int)] {
    content.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
  }

  func add(_ id: Int, isOnce: Bool) {
    content.withLock { $0[id] = isOnce ? 1 : ($0[id] ?? 0) + 1 }
  }
}

struct DeskProgram: Sendable {
  let store: Store<Desk>
  let journal: Journal<Desk>
  let plant: Plant

  init(_ node: Node, _ plant: Plant, _ mails: Surroundings) throws {
    self.plant = plant
    let mail = RecordedEffect.named("mail", Mail.self)
    let release = RecordedEffect.named("release", Release.self)
    let effects =
      plant == .unnamed ? [release] : plant == .lostTimer ? [mail] : [mail, release]
    let format = JournalFormat(
      of: Desk.self, intents: [.named("desk", DeskIntent.self)], effects: effects)
    journal = try Journal(
      at: "/var/lib/desk", on: node.disk, format,
      durability: plant == .acknowledgedEarly ? .written : .synced, snapshots: .every(4))
    let own = Locked<Store<Desk>?>(nil)
    let reduce = desk(plant)
    let reducer: @Sendable (inout Desk, DeskIntent) -> [any Effect] = { state, intent in
      if plant == .misuse, case .mailed(4) = intent {
        state.since = Double(own.withLock { $0 }?.state.mailed.count ?? 0)
      }
      return reduce(&state, intent)
    }
    store = try Store(
      state: Desk(), reducer: reducer, clock: node.clock, report: { _ in }, journal: journal)
    own.withLock { [store] in $0 = store }
    store.on(Mail.self) { mail, dispatch async in
      let send: @Sendable () async throws -> Void = {
        try await node.call("mail \(mail.id)") {
          mails.add(mail.id, isOnce: plant != .notIdempotent)
        }
      }
      while (try? await send()) == nil { try? await node.clock.sleep(for: .seconds(1)) }
      let none: [Int] = []
      if plant == .trap, mail.id == 4 { _ = none[mail.id] }
      dispatch(DeskIntent.mailed(mail.id))
    }
    store.on(Release.self) { release, dispatch async in
      if plant == .lostTimer { try? await node.clock.sleep(for: .seconds(10)) }
      dispatch(DeskIntent.release(release.id))
    }
    if store.state.isEnding { throw CancellationError() }
  }

  func book(_ id: Int) async throws {
    store.dispatch(DeskIntent.book(id))
    if plant != .acknowledgedEarly { try await journal.synced() }
  }
}

@Sendable
func desks(_ world: World, _ plant: Plant = .none) async throws {
  let mails = Surroundings()
  let machine = world.machine("desk") { try DeskProgram($0, plant, mails) }
  let booked = Locked<[Int]>([])
  machine.afterEachStart { program in
    let state = program.store.state
    for id in booked.withLock({ $0 }) {
      world.expect(
        state.held[id] != nil || state.released.contains(id),
        "the acknowledged booking \(id) is lost")
    }
  }
  for id in 1...8 {
    if (try? await machine.call { try await $0.book(id) }) != nil {
      booked.withLock { $0.append(id) }
      world.tell("client: \(id) is booked")
    }
    try await world.clock.sleep(for: world.pick(Duration.zero...Duration.seconds(2)))
    if plant == .staleEnd, id == 5 {
      _ = try? await machine.call { program in
        program.store.dispatch(DeskIntent.end)
        try await program.journal.synced()
      }
    }
  }
  await world.eventually("every booking is mailed and released") {
    try await machine.call { program in
      let state = program.store.state
      return booked.withLock { $0 }.allSatisfy {
        state.mailed.contains($0) && state.released.contains($0)
      }
    }
  }
  for (id, count) in mails.counts {
    world.expect(count == 1, "booking \(id) was charged \(count) times")
  }
}

// MARK: - A cluster that takes bookings

struct Board: Codable, Sendable, Equatable {
  var orders: [Int: String] = [:]
  var list: [Int] = []
}

enum BoardIntent: Intent, Codable { case order(Int), paid(Int) }
struct Pay: Effect, Codable, Equatable { var order: Int }

@Sendable func board(state: inout Board, intent: any Intent) -> [any Effect] {
  guard let intent = intent as? BoardIntent else { return [] }
  switch intent {
  case .order(let id):
    if state.orders[id] != nil { return [] }
    state.orders[id] = "open"
    state.list.append(id)
    return [Pay(order: id)]
  case .paid(let id):
    state.orders[id] = "paid"
    return []
  }
}

/// The payments, at most one for each token.
final class Till: Sendable {
  private let paid = Locked<[(order: Int, token: OwedID?)]>([])

  func pay(_ order: Int, _ token: OwedID?) {
    paid.withLock { paid in
      if token == nil || !paid.contains(where: { $0.token == token }) {
        paid.append((order, token))
      }
    }
  }

  var counts: [(order: Int, count: Int)] {
    let counts = paid.withLock { Dictionary($0.map { ($0.order, 1) }, uniquingKeysWith: +) }
    return counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

@Sendable
func bookings(_ world: World, isFenced: Bool = true) async throws {
  let (till, log) = (Till(), MemoryLog(clock: world.clock))
  let format = JournalFormat(
    of: Board.self, intents: [.named("board", BoardIntent.self)],
    effects: [.named("pay", Pay.self)])
  let replicas = ["a", "b", "c"].map { name in
    world.machine(name) { node in
      let shared = SharedStore(
        state: Board(), versions: [.version(1, reducer: board)], format: format, replica: name,
        log: node.connection(to: log, faults: .many), snapshotEvery: 12, lease: .seconds(3),
        clock: node.clock, report: { world.tell("\(name): \($0)") })
      shared.own(Pay.self) { pay, token in
        try await node.call("pay \(pay.order)") { till.pay(pay.order, isFenced ? token.id : nil) }
        return [BoardIntent.paid(pay.order)]
      }
      return shared
    }
  }
  world.faults.partitions = 0.01
  var acknowledged: [Int] = []
  for id in 1...8 {
    let replica = replicas[world.pick(0...2)]
    if (try? await replica.call { _ = try await $0.send(BoardIntent.order(id)) }) != nil {
      acknowledged.append(id)
      world.tell("client: \(id) is acknowledged")
    }
    try await world.clock.sleep(for: world.pick(Duration.zero...Duration.seconds(1)))
  }
  await world.eventually("all is paid, and alike everywhere") { [acknowledged] in
    var states: [Board] = []
    for replica in replicas {
      states.append(
        try await replica.call { shared in
          try await shared.catchUp()
          return shared.store.state.state
        })
    }
    return states.allSatisfy { $0 == states[0] }
      && acknowledged.allSatisfy { states[0].orders[$0] == "paid" }
  }
  for (order, count) in till.counts {
    world.expect(count == 1, "order \(order) was paid \(count) times")
  }
}
