// Optional child: a sheet with a request of its own, which ends when the sheet is closed.
//
// The sheet is there while its state is: its parent opens it by a value and closes it by nil, also
// where the sheet asks for that. `endEffects(with:)` lets the store end the effects of a sheet
// that is gone. So no reply to the first one reaches the second one, because one is closed before
// the next is opened: a sheet that another one replaced would have left it its effects.

import Glue
import GlueConsole

struct Fact: Equatable, Sendable {
  var number: Int
  var text: String?
}

enum FactIntent: Intent, Equatable { case ask, answered(String), done }

struct LookUp: Effect, Equatable { var number: Int }

func fact(state: inout Fact, intent: FactIntent) -> [any Effect] {
  switch intent {
  case .ask: return [LookUp(number: state.number).scheduled(.latest, id: "look up")]
  case .answered(let text):
    state.text = text
    return []
  case .done: return []  // the parent's
  }
}

struct Numbers: Equatable, Sendable {
  enum Part { case fact }

  var number = 1
  var fact: Fact?
}

enum NumbersIntent: Intent { case next, open }

func numbers(state: inout Numbers, intent: NumbersIntent) -> [any Effect] {
  switch intent {
  case .next: state.number += 1
  case .open where state.fact == nil: state.fact = Fact(number: state.number)
  case .open: break
  }
  return []
}

func closing(state: inout Numbers, intent: ElementIntent<Numbers.Part>) -> [any Effect] {
  if intent.intent(as: FactIntent.self) == .done { state.fact = nil }
  return []
}

let numbersFeature: Reducer<Numbers> = combineReducers {
  withKey(\.fact, id: Numbers.Part.fact, use: fact)
  closing
  numbers
}

struct Facts: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: LookUp, dispatch: @escaping DispatchFunc) async {
    try? await clock.sleep(for: .seconds(1))
    let kind = effect.number.isMultiple(of: 2) ? "even" : "odd"
    dispatch(FactIntent.answered("\(effect.number) is \(kind)"))
  }
}

let optionalChildStudy = Study(
  "optional-child", "a sheet whose request ends with it",
  keys: "n: next   o: open   a: ask   d: done",
  store: {
    let store = Store(
      state: Numbers(), reducer: numbersFeature,
      handlers: { handlers in handlers.add(effectHandler: Facts(clock: ContinuousClock())) })
    store.endEffects(with: .part(\.fact, id: Numbers.Part.fact))
    return store
  },
  draw: { state in
    ["\(state.number)"] + (state.fact.map { ["Fact about \($0.number): \($0.text ?? "…")"] } ?? [])
  },
  press: { key, state in
    switch key {
    case .text("n"): NumbersIntent.next
    case .text("o"): NumbersIntent.open
    case .text("a") where state.fact != nil:
      ElementIntent(id: Numbers.Part.fact, intent: FactIntent.ask)
    case .text("d") where state.fact != nil:
      ElementIntent(id: Numbers.Part.fact, intent: FactIntent.done)
    default: nil
    }
  })
