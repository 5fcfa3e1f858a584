import Glue
import GlueInspector

/// A run whose replies come in a given order, so the stale ones are known.
struct Race {
  let name: String
  let count: Int

  /// The order in which the effects reply.
  var order: [Int]
  var effect: @Sendable (Int) -> any Effect = { Ask(number: $0) }
  var lane: (@Sendable (any Effect) -> AnyHashable?)?

  static var all: [Race] {
    let lane: @Sendable (any Effect) -> AnyHashable? = { $0 is Ask ? "ask" : nil }
    let own: @Sendable (any Effect) -> AnyHashable? = { ($0 as? Ask)?.number }
    let again: @Sendable (any Effect) -> AnyHashable? = { ($0 as? Ask).map { $0.number % 4 } }
    let last = [8, 0, 1, 2, 3, 4, 5, 6, 7]
    return [
      Race(name: "lane", count: 9, order: last, lane: lane),
      Race(name: "id", count: 9, order: last, effect: delayed),
      Race(name: "own-lanes", count: 1000, order: shuffled(1000), lane: own),
      Race(name: "some-lanes", count: 6, order: [5, 4, 3, 2, 1, 0], lane: again),
      Race(name: "overtaken", count: 9, order: last),
      Race(name: "in-order", count: 9, order: Array(0..<9)),
      Race(name: "parallel", count: 1000, order: shuffled(1000)),
      Race(name: "queue", count: 9, order: Array(0..<9), effect: queued),
    ]
  }

  private static func shuffled(_ count: Int) -> [Int] {
    var random = Xorshift(state: 88_172_645_463_325_252)
    return Array(0..<count).shuffled(using: &random)
  }
}

private let delayed: @Sendable (Int) -> any Effect = {
  Ask(number: $0).scheduled(.concurrent, id: "ask")
}

private let queued: @Sendable (Int) -> any Effect = {
  Ask(number: $0).scheduled(.sequential, id: "ask")
}

struct Replies: Sendable { var newest = 0, replies: [Int] = [] }

enum RaceIntent: Intent { case ask(Int), reply(Int) }

struct Ask: Effect, Equatable { let number: Int }

/// Writes a page for each race.
func writeRaces(to folder: String) async throws {
  for race in Race.all { try await write(race, to: folder) }
}

private func write(_ race: Race, to folder: String) async throws {
  let inspector = Inspector<Replies>(lane: race.lane)
  let store = Store(state: Replies(), reducer: reducer(of: race), monitors: [inspector])
  let gate = Gate()
  store.on(Ask.self) { ask, dispatch in
    await gate.wait(ask.number)
    dispatch(RaceIntent.reply(ask.number))
  }
  for number in 0..<race.count { store.dispatch(RaceIntent.ask(number)) }
  var events = inspector.events.makeAsyncIterator()
  for number in race.order {
    await gate.open(number)
    while let line = await events.next() {
      if line.contains("\"RaceIntent.reply(\(number))\"") { break }
    }
  }
  await store.settled()
  try inspector.writePage(to: "\(folder)/\(race.name).html")
}

private func reducer(of race: Race) -> @Sendable (inout Replies, RaceIntent) -> [any Effect] {
  { state, intent in
    switch intent {
    case .ask(let number):
      state.newest = number
      return [race.effect(number)]
    case .reply(let number):
      state.replies.append(number)
      return []
    }
  }
}

/// Holds each caller back until its number is opened.
private actor Gate {
  private var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var openers: [Int: CheckedContinuation<Void, Never>] = [:]

  func wait(_ number: Int) async {
    await withCheckedContinuation { continuation in
      waiting[number] = continuation
      openers.removeValue(forKey: number)?.resume()
    }
  }

  /// Lets a caller continue, once it has come.
  func open(_ number: Int) async {
    if waiting[number] == nil { await withCheckedContinuation { openers[number] = $0 } }
    waiting.removeValue(forKey: number)?.resume()
  }
}
