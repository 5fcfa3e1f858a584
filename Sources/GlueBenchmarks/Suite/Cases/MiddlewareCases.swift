import Glue

/// Dispatching through middleware.
func middlewareGroup() -> Group {
  Group(
    name: "middleware",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "none") { through([]) },
      Subject(name: "1 that passes on") { through([passesOn]) },
      Subject(name: "10 that pass on") { through(Array(repeating: passesOn, count: 10)) },
      Subject(name: "thunkMiddleware, an intent") { through([thunkMiddleware()]) },
      Subject(name: "thunkMiddleware, a thunk") {
        let store = Store(state: Counter(), reducer: counter, middleware: [thunkMiddleware()])
        let thunk = Thunk<Counter> { dispatch, _ in dispatch(CounterIntent.add(1)) }
        return Work(
          run: { count in for _ in 0..<count { store.dispatch(thunk) } },
          isDone: { total in store.state.value == total })
      },
    ])
}

private func through(_ middleware: [Middleware<Counter>]) -> Work {
  .dispatching(.add(1), to: Store(state: Counter(), reducer: counter, middleware: middleware))
}

private let passesOn: Middleware<Counter> = { _, _ in
  { next in
    { intent in next(intent) }
  }
}

/// Dispatching with monitors.
func monitorGroup() -> Group {
  Group(
    name: "monitors",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "none") { observed(by: 0) },
      Subject(name: "1 that counts") { observed(by: 1) },
      Subject(name: "10 that count") { observed(by: 10) },
    ])
}

private func observed(by number: Int) -> Work {
  let tally = CallCount()
  let monitors = (0..<number).map { _ in CountingMonitor(tally: tally) }
  let store = Store(state: Counter(), reducer: counter, monitors: monitors)
  return .dispatching(.add(1), to: store) { total in tally.count == total * number }
}

private struct CountingMonitor: Monitor {
  let tally: CallCount

  func observe(_ commit: Commit<Counter>) { tally.add() }
}
