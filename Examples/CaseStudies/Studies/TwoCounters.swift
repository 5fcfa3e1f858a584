// Two counters: a feature that is used twice.
//
// An id for each part says which counter an intent means, and `counter` doesn't know that there
// are two. The parent has a reducer for its own intents, and another one that follows those of its
// parts: it is combined after them, so it sees a state in which they have reduced the intent.

import Glue
import GlueConsole

struct TwoCounters: Equatable, Sendable {
  var left = Counter()
  var right = Counter()
  var steps = 0
}

enum Side { case left, right }

enum TwoCountersIntent: Intent { case swap }

func twoCounters(state: inout TwoCounters, intent: TwoCountersIntent) -> [any Effect] {
  switch intent {
  case .swap: swap(&state.left, &state.right)
  }
  return []
}

func countingSteps(state: inout TwoCounters, intent: ElementIntent<Side>) -> [any Effect] {
  if intent.intent(as: CounterIntent.self) != .reset { state.steps += 1 }
  return []
}

let twoCountersFeature: Reducer<TwoCounters> = combineReducers {
  withKey(\.left, id: Side.left, use: counter)
  withKey(\.right, id: Side.right, use: counter)
  countingSteps
  twoCounters
}

let twoCountersStudy = Study(
  "two-counters", "a feature used twice, and a parent that follows",
  keys: "+ -: left   p m: right   s: swap",
  store: { Store(state: TwoCounters(), reducer: twoCountersFeature) },
  draw: { ["left \($0.left.value)", "right \($0.right.value)", "steps: \($0.steps)"] },
  press: { key, _ in
    switch key {
    case .text("+"): ElementIntent(id: Side.left, intent: CounterIntent.increment)
    case .text("-"): ElementIntent(id: Side.left, intent: CounterIntent.decrement)
    case .text("p"): ElementIntent(id: Side.right, intent: CounterIntent.increment)
    case .text("m"): ElementIntent(id: Side.right, intent: CounterIntent.decrement)
    case .text("s"): TwoCountersIntent.swap
    default: nil
    }
  })
