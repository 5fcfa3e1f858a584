// Ids and dates: three ways to get values that a pure reducer can't make.
//
// 1. In the intent: the code that dispatches makes them. Tests pass their own. The simplest way.
// 2. From an effect: for a reducer that decides first whether it needs them. Tests replace the handler.
// 3. From the state: a number that counts, or a generator with a seed. Tests need nothing, and a
//    recording that is replayed gives the same values.

import Foundation
import Glue
import GlueConsole

struct Note: Equatable, Sendable, Identifiable {
  let id: String
  let date: Date
}

struct Notes: Equatable, Sendable {
  var notes: [Note] = []
  var lastNumber = 0
  var start = Date(timeIntervalSince1970: 0)
}

enum NotesIntent: Intent, Equatable {
  case add(id: UUID, date: Date)
  case addStamped, stamped(id: UUID, date: Date)
  case addNumbered
}

struct Stamp: Effect, Equatable {}

func notes(state: inout Notes, intent: NotesIntent) -> [any Effect] {
  switch intent {
  case .add(let id, let date), .stamped(let id, let date):
    state.notes.append(Note(id: id.uuidString, date: date))
  case .addStamped:
    return state.notes.count < 9 ? [Stamp()] : []
  case .addNumbered:
    state.lastNumber += 1
    state.notes.append(Note(id: "\(state.lastNumber)", date: state.start))
  }
  return []
}

/// Makes ids and dates.
///
/// It needs no time, so it is synchronous: the note is there when `dispatch`
/// returns.
final class Stamping: EffectHandler {
  private let makeID: () -> UUID
  private let now: () -> Date

  init(makeID: @escaping () -> UUID = { UUID() }, now: @escaping () -> Date = { Date() }) {
    (self.makeID, self.now) = (makeID, now)
  }

  func handle(effect: Stamp, dispatch: @escaping DispatchFunc) {
    dispatch(NotesIntent.stamped(id: makeID(), date: now()))
  }
}

let idsAndDatesStudy = Study(
  "ids-and-dates", "three ways to get values that a reducer can't make",
  keys: "1: in the intent   2: from an effect   3: from the state",
  store: {
    Store(
      state: Notes(start: Date()), reducer: notes,
      handlers: { handlers in handlers.add(effectHandler: Stamping()) })
  },
  draw: { ["notes: \($0.notes.count)"] + $0.notes.map { "\($0.id.prefix(8)) at \($0.date)" } },
  press: { key, _ in
    switch key {
    case .text("1"): NotesIntent.add(id: UUID(), date: Date())
    case .text("2"): NotesIntent.addStamped
    case .text("3"): NotesIntent.addNumbered
    default: nil
    }
  })
