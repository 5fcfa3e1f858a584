// Counter: what every feature is made of.
//
// A feature is a state, its intents, and a reducer: a function that says what each intent changes,
// and which effects follow. It knows no store and no screen, so a test just calls it.
//
// The names are the same in all studies. A reducer has the name of the feature, such as `counter`.
// If a feature is composed of several reducers, its value is `twoCountersFeature`, because a value
// `twoCounters` that names a function `twoCounters` would mean itself.

import Glue
import GlueConsole

struct Counter: Equatable, Sendable { var value = 0 }

enum CounterIntent: Intent { case increment, decrement, reset }

func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
  switch intent {
  case .increment: state.value += 1
  case .decrement: state.value -= 1
  case .reset: state.value = 0
  }
  return []
}

// The rest of each file makes a program of the feature: its store, what it shows, and its keys.

let counterStudy = Study(
  "counter", "what every feature is made of", keys: "+ - 0: count",
  store: { Store(state: Counter(), reducer: counter) },
  draw: { ["\($0.value)"] },
  press: { key, _ in
    switch key {
    case .text("+"): CounterIntent.increment
    case .text("-"): CounterIntent.decrement
    case .text("0"): CounterIntent.reset
    default: nil
    }
  })
