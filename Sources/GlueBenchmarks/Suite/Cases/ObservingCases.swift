import Glue
import GlueLogging

/// Dispatching with observers that are built on subscribers and monitors.
func observingGroup() -> Group {
  Group(
    name: "observing",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "none") { .dispatching(.add(1), to: counterStore()) },
      Subject(name: "values(of:) with a slow reader") { unread(.newest) },
      Subject(name: "values(of:), every one") { unread(.every) },
      Subject(name: "view.dispatch") { throughView() },
      Subject(name: "LogMonitor to a sink") { logged() },
    ])
}

private func counterStore() -> Store<Counter> {
  Store(state: Counter(), reducer: counter)
}

/// A reader that doesn't get to read a value while they change.
private func unread(_ buffering: Buffering) -> Work {
  let store = counterStore()
  let reader = store.values(of: { $0.value }, buffering: buffering).makeAsyncIterator()
  return .dispatching(.add(1), to: store) { total in
    withExtendedLifetime(reader) { store.state.value == total }
  }
}

private func throughView() -> Work {
  let store = counterStore()
  let view = store.view(of: \.self, intent: CounterIntent.self)
  return Work(
    run: { count in for _ in 0..<count { view.dispatch(.add(1)) } },
    isDone: { total in store.state.value == total })
}

private func logged() -> Work {
  let tally = CallCount()
  let monitor = LogMonitor<Counter> { _ in tally.add() }
  let store = Store(state: Counter(), reducer: counter, monitors: [monitor])
  return .dispatching(.add(1), to: store) { total in tally.count == total }
}
