import Glue
import GlueConsole

struct Counter: Codable { var value = 0 }
enum CounterIntent: Intent, Codable { case increment, decrement }
enum CounterEffect: Effect { case ring }

func counter(state: inout Counter, intent: CounterIntent) -> [CounterEffect] {
  switch intent {
  case .increment:
    state.value += 1
    return state.value % 5 == 0 ? [.ring] : []
  case .decrement:
    state.value = max(0, state.value - 1)
    return []
  }
}

/// Rings the terminal's bell.
final class Bell: EffectHandler {
  private let console: Console

  init(of console: Console) { self.console = console }

  func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
    switch effect {
    case .ring: console.write("\u{7}", terminator: "")
    }
  }
}
