import Foundation
import Glue
import GlueInspector

/// A state with everything that a difference distinguishes.
struct Garden: Sendable {
  var beds: [Bed] = []
  var rows: [[Int]] = []
  var seeds: [String: Seed] = [:]
  var weeds: Set<Int> = []
  var season = Season.winter
  var gardener: Gardener?

  struct Bed: Sendable, Identifiable {
    let id: Int
    var plants: [String] = []
    var water = 0.5
  }

  struct Seed: Sendable { var count = 1, kinds: [Int: Bool] = [:] }
  enum Season: Sendable { case winter, spring(rain: Int, sun: Bool), summer(Seed) }
  struct Gardener: Sendable { var name = "\"Ann\" (x, y)", tools = ["rake": 1] }
}

struct Dig: Intent { let seed: UInt64 }

func dig(state: inout Garden, intent: Dig) -> [any Effect] {
  var random = Xorshift(state: intent.seed)
  for _ in 0...Int.random(in: 0..<4, using: &random) { change(&state, by: &random) }
  return []
}

private func change(_ garden: inout Garden, by random: inout Xorshift) {
  func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
  let (place, value) = (number(6), number(100))
  switch number(14) {
  case 0: garden.beds.insert(Garden.Bed(id: value), at: min(place, garden.beds.count))
  case 1: if place < garden.beds.count { garden.beds.remove(at: place) }
  case 2: garden.beds.sort { $0.id % 7 < $1.id % 7 }
  case 3: if place < garden.beds.count { garden.beds[place].plants.append("plant \(value)") }
  case 4: if place < garden.beds.count { garden.beds[place].water = Double(value) / 8 }
  case 5: garden.rows.insert([value, place], at: min(place, garden.rows.count))
  case 6: if place < garden.rows.count { garden.rows[place].insert(value, at: 0) }
  case 7: if garden.rows.count > 4 { garden.rows.removeFirst(2) }
  case 8: garden.seeds["key.\(place)[\""] = Garden.Seed(count: value, kinds: [place: true])
  case 9: garden.seeds["key.\(place)[\""]?.kinds[value % 5] = value % 2 == 0
  case 10: garden.seeds["key.\(place)[\""] = nil
  case 11: garden.weeds.formSymmetricDifference([place, value])
  case 12:
    garden.season =
      [.winter, .spring(rain: value, sun: true), .summer(Garden.Seed(count: value))][value % 3]
  default:
    garden.gardener = place < 2 ? nil : garden.gardener ?? Garden.Gardener()
    garden.gardener?.tools["hoe"] = value
  }
}

/// Random changes; beside the page is what its state should be at each commit.
func writeChanges(to folder: String) throws {
  let (inspector, last) = (Inspector<Garden>(), Inspector<Garden>(limit: 100))
  let store = Store(state: Garden(), reducer: dig, monitors: [inspector, last])
  var trees = ""
  for seed in 1...1000 {
    store.dispatch(Dig(seed: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15))
    trees += StateTree(of: store.state, rewording: nil).json + "\n"
  }
  try inspector.writePage(to: "\(folder)/changes.html")
  try last.writePage(to: "\(folder)/last-changes.html")
  try trees.write(toFile: "\(folder)/changes.jsonl", atomically: true, encoding: .utf8)
}

struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
