import Glue
import GlueTesting

/// Rooms in a house, of which there are two: parts, elements in them, and a history.
struct House: Sendable, Equatable {
  var rooms: [Int: Room] = [1: Room(), 2: Room()]
  var garden = History(Room())
}

struct Room: Sendable, Equatable {
  var light = 0
  var error = ""
}

enum RoomIntent: Intent {
  case ask, lit(Int), failed(String, code: Int), named(text: String), off

  var isLit: Bool { if case .lit = self { true } else { false } }
}

/// An intent that is a structure.
struct Dimmed: Intent { var light: Int }

struct Ask: Effect, Equatable {}

func room(state: inout Room, intent: any Intent) -> [any Effect] {
  switch intent {
  case RoomIntent.ask: return [Ask()]
  case RoomIntent.lit(let light): state.light = light
  case RoomIntent.failed(let text, let code): state.error = "\(text) \(code)"
  case RoomIntent.named(let text): state.error = text
  case RoomIntent.off: state.light = 0
  case let dimmed as Dimmed: state.light = dimmed.light
  default: break
  }
  return []
}

let house: Reducer<House> = combineReducers {
  forEach(\.rooms, use: room)
  withKey(\.garden, id: "garden", use: undoable(room, limit: 10))
}

struct Street: Sendable, Equatable {
  var left = House()
  var right = House()
}

enum Side { case left, right }

let street: Reducer<Street> = combineReducers {
  withKey(\.left, id: Side.left, use: house)
  withKey(\.right, id: Side.right, use: house)
}

extension TestStore {
  /// Dispatches intents as an effect's handler does.
  nonisolated(nonsending) func reply(_ intents: any Intent...) async {
    for intent in intents { store.dispatch(intent) }
    await clock.rest()
  }
}

/// An intent for a part of the left house.
func inLeft(_ id: some Hashable & Sendable, _ intent: any Intent) -> any Intent {
  ElementIntent(id: Side.left, intent: ElementIntent(id: id, intent: intent))
}
