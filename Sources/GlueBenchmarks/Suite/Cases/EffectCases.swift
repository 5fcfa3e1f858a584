import Glue

/// Dispatching an intent that has an effect.
func effectGroup() -> Group {
  Group(
    name: "effects",
    subjects: [
      counterFloor("dispatch floor", intent: .add(1)),
      counterFloor(intent: .announce(1)),
      Subject(name: "no handler") { handled(by: 0) },
      Subject(name: "1 handler") { handled(by: 1) },
      Subject(name: "10 handlers") { handled(by: 10) },
      Subject(name: "100 handlers") { handled(by: 100) },
      Subject(name: "1000 handlers") { handled(by: 1000) },
    ])
}

private func handled(by number: Int) -> Work {
  let store = Store(state: Counter(), reducer: counter)
  let tally = CallCount()
  for _ in 0..<number { store.add(effectHandler: Listener(tally)) }
  return .dispatching(.announce(1), to: store) { total in tally.count == total * number }
}

private final class Listener: EffectHandler {
  private let tally: CallCount

  init(_ tally: CallCount) {
    self.tally = tally
  }

  func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
    switch effect {
    case .announced: tally.add()
    }
  }
}

/// A dispatch whose effect's handler dispatches, and so on: an operation is one link.
func chainGroup() -> Group {
  Group(
    name: "chain",
    subjects: [
      counterFloor(intent: .announce(1)),
      Subject(name: "of 1000000 dispatches from a handler", count: 1_000_000) {
        let store = Store(state: Counter(), reducer: counter)
        let left = Remaining()
        store.on(CounterEffect.self) { _, dispatch in
          left.count -= 1
          if left.count > 0 { dispatch(CounterIntent.announce(1)) }
        }
        return Work(
          run: { count in
            left.count = count
            store.dispatch(CounterIntent.announce(1))
          },
          isDone: { total in store.state.value == total && left.count == 0 })
      },
    ])
}

/// How many links of a chain are still to come.
///
/// `@unchecked Sendable` is sound because one thread alone dispatches, and so handles effects.
private final class Remaining: @unchecked Sendable {
  var count = 0
}
