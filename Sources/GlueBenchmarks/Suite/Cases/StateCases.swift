import Glue
import Synchronization

private struct Numbers: Sendable {
  var elements: [Int]
}

private enum NumbersIntent: Intent {
  case increment(at: Int)
}

@inline(never)
private func numbers(state: inout Numbers, intent: any Intent) -> [any Effect] {
  switch intent {
  case NumbersIntent.increment(let index): state.elements[index] += 1
  default: break
  }
  return []
}

/// Changing one of a number of elements, in the middle.
func stateGroup() -> Group {
  let sizes = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000]
  return Group(name: "state", subjects: sizes.map(floor) + sizes.map(of))
}

private func of(_ size: Int) -> Subject {
  Subject(name: "of \(size)", floor: "floor of \(size)") {
    let store = Store(state: Numbers(elements: Array(repeating: 0, count: size)), reducer: numbers)
    return Work(
      run: { count in
        for _ in 0..<count { store.dispatch(NumbersIntent.increment(at: size / 2)) }
      },
      isDone: { total in store.state.elements[size / 2] == total })
  }
}

private func floor(_ size: Int) -> Subject {
  Subject(name: "floor of \(size)", floor: nil) {
    let locked = LockedReducer(Numbers(elements: Array(repeating: 0, count: size)), numbers)
    return Work(
      run: { count in
        for _ in 0..<count { locked.reduce(NumbersIntent.increment(at: size / 2)) }
      },
      isDone: { total in locked.mutex.withLock { $0.elements[size / 2] } == total })
  }
}
