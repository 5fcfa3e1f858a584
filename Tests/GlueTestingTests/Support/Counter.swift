import Glue

/// A counter that is not `Equatable`, with effects of a type of their own.
struct Counter: Sendable {
  var value = 0
}

enum CounterIntent: Intent { case increment, decrement }

enum CounterEffect: Effect { case playSound, save(Int) }

func counter(state: inout Counter, intent: CounterIntent) -> [CounterEffect] {
  switch intent {
  case .increment:
    state.value += 1
    return state.value.isMultiple(of: 5) ? [.playSound, .save(state.value)] : []
  case .decrement:
    state.value -= 1
    return []
  }
}

/// The same of all intents, with fewer effects.
func anyCounter(state: inout Counter, intent: any Intent) -> [any Effect] {
  guard let intent = intent as? CounterIntent else { return [] }
  return counter(state: &state, intent: intent).filter {
    if case .save = $0 { true } else { false }
  }
}
