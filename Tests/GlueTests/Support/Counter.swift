import Glue

/// The feature that most tests use: a number, steps, and an effect that says which step it was.
struct Counter: Sendable {
  var value = 0
}

enum CounterIntent: Intent, Equatable {
  /// Adds a number, without effects.
  case add(Int)

  /// Sets the value and emits `wrote` with it.
  case write(Int)

  /// Changes nothing.
  case ignore
}

enum CounterEffect: Effect, Equatable {
  case wrote(Int)
}

func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
  switch intent {
  case .add(let number):
    state.value += number
    return []
  case .write(let number):
    state.value = number
    return [CounterEffect.wrote(number)]
  case .ignore:
    return []
  }
}

extension Store<Counter> {
  convenience init(delivery: Delivery = .immediate) {
    self.init(state: Counter(), reducer: counter, delivery: delivery)
  }

  func add(_ number: Int) { dispatch(CounterIntent.add(number)) }
  func write(_ number: Int) { dispatch(CounterIntent.write(number)) }

  /// Handles `wrote` effects by their number.
  func onWrote(_ handler: sending @escaping (Int, @escaping DispatchFunc) -> Void) {
    on(CounterEffect.self) { effect, dispatch in
      switch effect {
      case .wrote(let number): handler(number, dispatch)
      }
    }
  }
}
