import Dispatch
import Foundation
import Glue
import GlueSimulation
import GlueTesting
import ProcessSupport
import Testing

@testable import GlueJournal

/// The work that a program began, by positive numbers, and ended, by negative ones.
private struct Ledger: Codable, Equatable, Sendable {
  var entries: [Int] = []
}

private enum LedgerIntent: Intent, Codable {
  case pay(Int)
  case build(Int)
  case done(Int)
}

/// Ends within its delivery.
private struct Payment: Effect, Codable { var number: Int }

/// Runs until it is canceled.
private struct Building: Effect, Codable { var number: Int }

@Sendable private func ledger(state: inout Ledger, intent: LedgerIntent) -> [any Effect] {
  switch intent {
  case .pay(let number):
    state.entries.append(number)
    return [Payment(number: number)]
  case .build(let number):
    state.entries.append(number)
    return [Building(number: number)]
  case .done(let number):
    state.entries.append(-number)
    return []
  }
}

private let format = JournalFormat(
  of: Ledger.self, intents: [.named("ledger", LedgerIntent.self)],
  effects: [.named("payment", Payment.self), .named("building", Building.self)])

/// The threads that make a store's deliveries.
enum Loop: CaseIterable, Sendable {
  /// `.immediate` and `.queue`.
  case caller, queue

  /// A loop that has ended, one that runs again after a shutdown, and one that runs during it.
  case dead, late, alongside
}

@Suite("J14: a crash at any call of a beginning or an end loses nothing")
struct J14CrashTests {
  /// A crash's remains, and the entries that they must hold.
  private struct Crash {
    let files: MemoryFiles
    let least: Int
  }

  /// Takes what a crash would leave, at each call for a file.
  private final class Crashes: Sendable {
    let files: MemoryFiles
    private let durability: Durability
    private let all = Shared<[Crash]>([])
    private let random = Shared(Xorshift(seed: 1))

    /// How many entries the subscriber got, and how many must survive a power failure.
    let told = Shared(0)
    let durable = Shared(0)

    init(_ files: MemoryFiles, _ durability: Durability, isAtEachCall: Bool = true) {
      (self.files, self.durability) = (files, durability)
      if !isAtEachCall { return }
      files.watch { [weak self] _, _ in
        self?.take()
        return nil
      }
    }

    func take() {
      let (told, durable) = (told.value, durable.value)
      let least = durability == .synced ? max(told, durable) : durable
      all.change { $0.append(Crash(files: files.afterKill(), least: max(told, durable))) }
      random.change { random in
        for _ in 0..<2 {
          let left = files.afterPowerFailure(&random)
          all.change { $0.append(Crash(files: left, least: least)) }
        }
      }
    }

    func end() -> [Crash] {
      take()
      files.watch(nil)
      return all.value
    }
  }

  private func addHandlers(to handlers: some TakesHandlers, _ clock: TestClock) {
    handlers.on(Payment.self) { (payment: Payment, dispatch: @escaping DispatchFunc) -> Void in
      dispatch(LedgerIntent.done(payment.number))
    }
    handlers.on(Building.self) { (building: Building, dispatch: @escaping DispatchFunc) async in
      try? await clock.sleep(for: .seconds(1))
      dispatch(LedgerIntent.done(building.number))
    }
  }

  /// Expects of each crash a prefix with all that it must hold, and that what isn't done happens
  /// again.
  private func expectNothingLost(_ crashes: [Crash], of entries: [Int]) throws {
    #expect(crashes.count > 15)
    for crash in crashes {
      let started = Shared<[Int]>([])
      let store = try Store(
        state: Ledger(), reducer: ledger, journal: Journal(in: crash.files, format)
      ) { handlers in
        handlers.on(Payment.self) { payment, _ in started.change { $0.append(payment.number) } }
        handlers.on(Building.self) { building, _ in started.change { $0.append(building.number) } }
      }
      let recovered = store.state.entries
      #expect(entries.starts(with: recovered) && recovered.count >= crash.least)
      let owed = recovered.filter { $0 > 0 && !recovered.contains(-$0) }
      #expect(Set(owed).isSubset(of: started.value) && Set(started.value).isSubset(of: recovered))
      #expect(Set(started.value).count == started.value.count)
    }
  }

  @Test(
    "a shutdown, with a loop that runs no bodies, or runs them late",
    arguments: Loop.allCases, [Durability.written, .synced])
  func shutdown(loop: Loop, durability: Durability) async throws {
    let crashes = Crashes(MemoryFiles(), durability)
    let (bodies, clock) = (Bodies(), TestClock())
    var delivery = bodies.delivery
    if loop == .caller { delivery = .immediate }
    if loop == .queue { delivery = .queue(DispatchQueue(label: "test")) }
    var entries: [Int] = []
    do {
      let store = try Store(
        state: Ledger(), reducer: ledger, delivery: delivery,
        journal: Journal(in: crashes.files, format, durability, smallestLog: 1200))
      addHandlers(to: store, clock)
      let subscription = store.subscribe(selector: \.entries.count) { [told = crashes.told] count in
        told.change { $0 = max($0, count) }
      }
      for round in 0..<3 {
        for number in round * 4 + 1...round * 4 + 3 { store.dispatch(LedgerIntent.pay(number)) }
        store.dispatch(LedgerIntent.build(round * 4 + 4))
        let reduced = store.state.entries.count
        let isRunning = loop == .alongside ? bodies.runOnThread() : nil
        await store.shutdown()
        crashes.durable.change { $0 = reduced }
        crashes.take()
        isRunning?.wait()
        if loop == .late { bodies.run() }
      }
      subscription.cancel()
      entries = store.state.entries
    }
    bodies.drop()
    try expectNothingLost(crashes.end(), of: entries)
  }

  @Test(
    "a store that is made with handlers, whose first commits are recorded and which resumes what is left",
    arguments: [Loop.caller, .queue, .dead, .late], [false, true])
  func beginning(loop: Loop, isAfterKill: Bool) async throws {
    let old = MemoryFiles()
    var files = old
    do {
      let store = try Store(state: Ledger(), reducer: ledger, journal: Journal(in: old, format))
      for number in 1...3 { store.dispatch(LedgerIntent.pay(number)) }
      store.dispatch(LedgerIntent.build(4))
      if isAfterKill { files = old.afterKill() }
    }
    let crashes = Crashes(files, .written)
    let (bodies, clock) = (Bodies(), TestClock())
    var delivery = bodies.delivery
    if loop == .caller { delivery = .immediate }
    if loop == .queue { delivery = .queue(DispatchQueue(label: "test")) }
    crashes.durable.change { $0 = 4 }
    var kept: Subscription?
    var entries: [Int] = []
    do {
      let store = try Store(
        state: Ledger(), reducer: ledger, delivery: delivery,
        journal: Journal(in: crashes.files, format, .written),
        first: [LedgerIntent.build(5), LedgerIntent.pay(6), LedgerIntent.pay(7)],
        handlers: { addHandlers(to: $0, clock) })
      crashes.take()
      kept = store.subscribe(selector: \.entries.count) { [told = crashes.told] count in
        told.change { $0 = max($0, count) }
      }
      crashes.take()
      if loop == .late { bodies.run() }
      if loop == .queue || loop == .caller {
        await store.delivered()
        #expect(store.state.entries.suffix(5) == [-6, -7, -1, -2, -3])
      }
      await store.shutdown()
      crashes.durable.change { $0 = 7 }
      crashes.take()
      entries = store.state.entries
    }
    kept?.cancel()
    bodies.drop()
    try expectNothingLost(crashes.end(), of: entries)
  }
}

extension J14CrashTests {
  @Test(
    "shutdowns, synced() and close() beside four dispatching threads lose and double nothing",
    .tags(.threads),
    arguments: Trials.seeds(40))
  func concurrent(seed: UInt64) async throws {
    var random = Xorshift(seed: seed)
    let durability = Bool.random(using: &random) ? Durability.written : .synced
    let delivery = [Delivery.immediate, .queue(DispatchQueue(label: "test")), .queue(.global())]
      .randomElement(using: &random)
    let crashes = Crashes(MemoryFiles(), durability, isAtEachCall: false)
    let (told, clock) = (Lines(), TestClock())
    let journal = try Journal(in: crashes.files, format, durability, smallestLog: 1200)
    let store = try Store(
      state: Ledger(), reducer: ledger, delivery: delivery ?? .immediate, journal: journal
    ) { handlers in addHandlers(to: handlers, clock) }
    let subscription = store.subscribe(selector: \.entries.count) { [seen = crashes.told] count in
      told.append("\(count)")
      seen.change { $0 = count }
    }
    let closes = Bool.random(using: &random)
    @Sendable func end(_ body: () async throws -> Void) async rethrows {
      let reduced = store.state.entries.count
      try await body()
      if !closes { crashes.durable.change { $0 = max($0, reduced) } }
      crashes.take()
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for thread in 0..<4 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              for number in thread * 100 + 1...thread * 100 + 20 {
                store.dispatch(number % 9 == 0 ? LedgerIntent.build(number) : .pay(number))
              }
              continuation.resume()
            }
          }
        }
      }
      for _ in 0..<2 { group.addTask { await end { await store.shutdown() } } }
      group.addTask {
        await end { await store.shutdown(finishing: .zero, within: .seconds(1000)) }
      }
      for _ in 0..<2 { group.addTask { await end { try? await journal.synced() } } }
      if closes { group.addTask { try await journal.close() } }
      try await group.waitForAll()
    }
    await end { await store.shutdown() }
    subscription.cancel()
    #expect(told.all == (0..<told.all.count).map { "\($0)" })
    try expectNothingLost(crashes.end(), of: store.state.entries)
  }
}
