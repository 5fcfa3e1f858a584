import Glue

struct Counter { var value = 0 }
enum CounterIntent: Intent { case increment, decrement }
enum CounterEffect: Effect { case ring }

func counter(state: inout Counter, intent: CounterIntent) -> [Effect] {
  switch intent {
  case .increment:
    state.value += 1
    return state.value % 5 == 0 ? [CounterEffect.ring] : []
  case .decrement:
    state.value = max(0, state.value - 1)
    return []
  }
}

final class Bell: EffectHandler {
  func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
    print("\u{7}", terminator: "")
  }
}

let store = Store(state: Counter(), reducer: counter)
store.add(effectHandler: Bell())
let subscription = store.subscribe(selector: \.value) { print("Counter: \($0)") }
// Counter: 0

while let line = readLine() {
  store.dispatch(line == "-" ? CounterIntent.decrement : .increment)
}
// Counter: 1, and so on with each Return; at every fifth, the bell rings.
