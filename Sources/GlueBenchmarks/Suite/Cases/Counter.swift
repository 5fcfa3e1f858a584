import Glue
import Synchronization

/// The feature of most subjects: a number, steps, and an effect that says which step it was.
struct Counter: Sendable {
  var value = 0

  /// Never changes.
  var constant = 0
}

enum CounterIntent: Intent {
  /// Adds a number, without effects.
  case add(Int)

  /// Adds a number and emits it.
  case announce(Int)
}

enum CounterEffect: Effect {
  case announced(Int)
}

/// Not inlined, so that a store and the floor call the same code.
@inline(never)
func counter(state: inout Counter, intent: any Intent) -> [any Effect] {
  switch intent {
  case CounterIntent.add(let number):
    state.value += number
    return []
  case CounterIntent.announce(let number):
    state.value += number
    return [CounterEffect.announced(number)]
  default:
    return []
  }
}

/// Not inlined, so that a store and the floor call the same code.
@inline(never)
func typedCounter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
  switch intent {
  case .add(let number):
    state.value += number
    return []
  case .announce(let number):
    state.value += number
    return [CounterEffect.announced(number)]
  }
}

/// The inevitable cost: a state and a reducer behind a lock.
///
/// It calls the reducer like a store, as an unknown function.
final class LockedReducer<State: Sendable, Intents>: Sendable {
  typealias Reduce = @Sendable (inout State, Intents) -> [any Effect]

  let mutex: Mutex<State>
  let reducer: Reduce

  init(_ state: State, _ reducer: @escaping Reduce) {
    mutex = Mutex(state)
    self.reducer = reducer
  }

  @inline(__always)
  func reduce(_ intent: Intents) {
    _ = mutex.withLock { reducer(&$0, intent) }
  }
}

/// The floor of dispatches to a store of a ``Counter``.
func counterFloor(_ name: String = "floor", intent: CounterIntent) -> Subject {
  Subject(name: name, floor: nil) {
    let locked = LockedReducer(Counter(), counter)
    return Work(
      run: { count in for _ in 0..<count { locked.reduce(intent) } },
      isDone: { total in locked.mutex.withLock { $0.value } == total })
  }
}

extension Work {
  /// Dispatches an intent that counts by 1 again and again.
  static func dispatching(
    _ intent: CounterIntent, to store: Store<Counter>,
    isDone: @escaping (_ total: Int) -> Bool = { _ in true }
  ) -> Work {
    Work(
      run: { count in for _ in 0..<count { store.dispatch(intent) } },
      isDone: { total in store.state.value == total && isDone(total) })
  }
}
