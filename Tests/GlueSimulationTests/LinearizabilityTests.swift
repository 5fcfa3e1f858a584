import Glue
import GlueJournal
import GlueTesting
import Testing

@testable import GlueSimulation

private enum Access: Equatable, Sendable { case read, write(Int), add(Int) }

/// The answer is the value after it.
private func register(value: inout Int, access: Access) -> Int {
  switch access {
  case .read: break
  case .write(let new): value = new
  case .add(let change): value += change
  }
  return value
}

@Suite("Calls that were answered as if they had come one after the other")
struct LinearizabilityTests {
  private let history = CallHistory<Access, Int>()

  private var problem: String? { history.problem(from: 0, register) }

  @Test("a call may be carried out at any time until its answer")
  func overlapping() {
    let write = history.begin(.write(1))
    for answer in [0, 0, 1, 1] { history.end(history.begin(.read), answer) }
    history.end(write, 1)
    #expect(problem == nil)
  }

  @Test("what was read once is not unread")
  func unread() {
    let write = history.begin(.write(1))
    history.end(history.begin(.read), 1)
    history.end(history.begin(.read), 0)
    history.end(write, 1)
    #expect(
      problem == """
        no order of the calls explains that read was answered 0
          the model answers 1 in 1
          at the same time:
          write(1): answered 1
        """)
  }

  @Test("a call without an answer may be carried out late, or never, but once")
  func unanswered() {
    _ = history.begin(.add(1))
    for answer in [0, 1, 1] { history.end(history.begin(.read), answer) }
    #expect(problem == nil)
    history.end(history.begin(.read), 2)
    #expect(problem?.contains("read was answered 2\n  the model answers 1 in 1") == true)
  }

  @Test("a lost update is found")
  func lostUpdate() {
    let calls = (0..<2).map { _ in history.begin(.add(1)) }
    for call in calls { history.end(call, 1) }
    #expect(problem != nil)
  }

  @Test("calls without an answer that would change nothing cost nothing")
  func idempotent() {
    for _ in 0..<200 { _ = history.begin(.write(1)) }
    for answer in [0, 1, 1] { history.end(history.begin(.read), answer) }
    #expect(problem == nil)
  }

  @Test("one of many equal calls without an answer stands for all")
  func twins() {
    for _ in 0..<10 { for change in [1, 100] { _ = history.begin(.add(change)) } }
    for answer in [202, 203, 202] { history.end(history.begin(.read), answer) }
    #expect(problem?.contains("read was answered 202\n  the model answers 203") == true)
  }

  @Test("too many orders are said")
  func tooMany() {
    for number in 0..<20 { _ = history.begin(.add(1 << number)) }
    history.end(history.begin(.read), -1)
    #expect(problem?.contains("21 were open at once, 20 of them without an answer ever") == true)
  }

  /// Tries all orders.
  @Test("the answer is that of a trial of all orders")
  func oracle() {
    var (random, counts) = (Xorshift(seed: 7), [true: 0, false: 0])
    for _ in 0..<3_000 {
      let history = CallHistory<Access, Int>()
      var (calls, open): ([Trial], [Int]) = ([], [])
      let accesses: [Access] = [.read, .read, .write(1), .write(2), .add(1)]
      for time in 0..<Int.random(in: 4...10, using: &random) {
        if calls.count < 5, open.isEmpty || Bool.random(using: &random) {
          let access = accesses[Int.random(in: 0..<5, using: &random)]
          open.append(history.begin(access))
          calls.append(Trial(access: access, begin: time))
        } else if !open.isEmpty {
          let number = open.remove(at: Int.random(in: open.indices, using: &random))
          let answer = Int.random(in: 0...3, using: &random)
          (calls[number].end, calls[number].answer) = (time, answer)
          history.end(number, answer)
        }
      }
      let isExplained = Trial.explains(calls)
      counts[isExplained, default: 0] += 1
      #expect((history.problem(from: 0, register) == nil) == isExplained, "\(calls)")
    }
    #expect(counts.values.allSatisfy { $0 > 300 }, "\(counts)")
  }

  private struct Trial {
    let access: Access
    let begin: Int
    var end = Int.max
    var answer = 0

    /// Whether the calls that are left can follow in some order.
    static func explains(_ calls: [Trial], from value: Int = 0) -> Bool {
      if calls.allSatisfy({ $0.end == .max }) { return true }
      return calls.indices.contains { index in
        let call = calls[index]
        var (rest, value) = (calls, value)
        rest.remove(at: index)
        if rest.contains(where: { $0.end < call.begin }) { return false }
        let answer = register(value: &value, access: call.access)
        return (call.end == .max || answer == call.answer) && explains(rest, from: value)
      }
    }
  }
}

// MARK: - A program whose answers a crash makes false

private struct Seats: Codable, Equatable, Sendable { var owners: [Int: String] = [:] }

private struct Take: Intent, Codable, Equatable {
  let seat: Int
  let client: String
}

private func seats(state: inout Seats, intent: Take) -> [any Effect] {
  if state.owners[intent.seat] == nil { state.owners[intent.seat] = intent.client }
  return []
}

private struct Office: Sendable {
  let store: Store<Seats>
  let journal: Journal<Seats>
  let waits: Bool

  init(_ node: Node, waits: Bool) throws {
    self.waits = waits
    let format = JournalFormat(of: Seats.self, intents: [.named("take", Take.self)])
    journal = try Journal(at: "/var/lib/seats", on: node.disk, format)
    store = try Store(state: Seats(), reducer: seats, clock: node.clock, journal: journal)
  }

  func take(_ take: Take) async throws -> Bool {
    store.dispatch(take)
    if waits { try await journal.synced() }
    return store.state.owners[take.seat] == take.client
  }
}

@Suite("Linearizability through every crash")
struct LinearizableProgramTests {
  /// Three clients want the same seats.
  private static func sell(_ world: World, waits: Bool) async {
    let sales = CallHistory<Take, Bool>()
    let office = world.machine("office") { try Office($0, waits: waits) }
    await withTaskGroup { clients in
      for client in ["a", "b", "c"] {
        clients.addTask {
          for seat in 1...4 {
            try? await world.clock.sleep(for: world.pick(.zero...Duration.seconds(9)))
            let take = Take(seat: seat, client: client)
            _ = try? await sales.call(take) { try await office.call { try await $0.take(take) } }
          }
        }
      }
    }
    world.expectLinearizable(sales, from: Seats()) { state, take in
      _ = seats(state: &state, intent: take)
      return state.owners[take.seat] == take.client
    }
  }

  @Test("an office that answers when its journal has the sale sells each seat once")
  func sound() async {
    await simulate(seeds: 100) { await Self.sell($0, waits: true) }
  }

  @Test("one that answers before is found")
  func planted() async {
    var faults = World.Faults()
    faults.contendedDeliveries = 1
    faults.crashesAtFileCalls = 0.1
    let message = await PlantedTests.message(faults: faults) { await Self.sell($0, waits: false) }
    #expect(message.contains("no order of the calls explains that Take(seat: "))
  }
}
