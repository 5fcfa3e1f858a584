import Dispatch
import Glue

/// Effects with tasks of their own, against such tasks alone.
///
/// In a chain each task causes the next one. An effect's handler dispatches the intent that has the
/// next effect, there and back, without waiting for a thread to wake up.
func asyncGroup() -> Group {
  Group(
    name: "async",
    subjects: [
      Subject(name: "chain of bare tasks", floor: nil, prepare: bareChain),
      Subject(name: "chain of effects", floor: "chain of bare tasks") {
        effectChain { store in store.dispatch(CounterIntent.announce(1)) }
      },
      Subject(name: "chain of effects, performed", floor: "chain of effects") {
        effectChain { store in Task { await store.perform(CounterIntent.announce(1)) } }
      },
      Subject(name: "awaited bare task", floor: nil, prepare: awaitedTasks),
      Subject(name: "perform", floor: "awaited bare task", prepare: performed),
      Subject(name: "floor of an ignored effect", floor: nil) {
        .dispatching(.announce(1), to: Store(state: Counter(), reducer: counter))
      },
      Subject(
        name: "ignored by 10 handlers", floor: "floor of an ignored effect", prepare: ignored),
    ])
}

private func bareChain() -> Work {
  let chain = Chain()
  @Sendable func link() {
    if chain.advances() { Task { link() } }
  }
  return Work(
    run: { count in
      chain.begin(count)
      link()
      chain.wait()
    },
    isDone: { total in chain.links == total })
}

/// A chain whose first intent, and so its first link, `begin` has dispatched.
private func effectChain(begin: @escaping (Store<Counter>) -> Void) -> Work {
  let chain = Chain()
  let store = Store(state: Counter(), reducer: typedCounter)
  store.on(CounterEffect.self) { (_, dispatch) async in
    if chain.advances() { dispatch(CounterIntent.announce(1)) }
  }
  return Work(
    run: { count in
      chain.begin(count)
      if chain.advances() { begin(store) }
      chain.wait()
    },
    isDone: { total in chain.links == total && store.state.value == total })
}

private func awaitedTasks() -> Work {
  let tally = CallCount()
  return awaiting {
    await Task { tally.add() }.value
  } isDone: { total in
    tally.count == total
  }
}

/// The tally isn't changed concurrently, because each effect is awaited.
private func performed() -> Work {
  let tally = CallCount()
  let store = Store(state: Counter(), reducer: counter)
  store.on(CounterEffect.self) { (_, _) async in tally.add() }
  return awaiting {
    await store.perform(CounterIntent.announce(1))
  } isDone: { total in
    tally.count == total && store.state.value == total
  }
}

private func ignored() -> Work {
  let store = Store(state: Counter(), reducer: counter)
  let tally = CallCount()
  for _ in 0..<10 {
    store.on(OtherEffect.self) { (_, _) async in tally.add() }
  }
  return .dispatching(.announce(1), to: store) { _ in tally.count == 0 }
}

private enum OtherEffect: Effect {
  case other
}

/// Awaits asynchronous operations one after the other, in a task.
private func awaiting(
  _ operation: @escaping @Sendable () async -> Void, isDone: @escaping (_ total: Int) -> Bool
) -> Work {
  Work(
    run: { count in runBlocking { for _ in 0..<count { await operation() } } },
    isDone: isDone)
}

/// Runs a body in a task, and waits for it.
func runBlocking(_ body: @escaping @Sendable () async -> Void) {
  let end = DispatchSemaphore(value: 0)
  Task {
    await body()
    end.signal()
  }
  end.wait()
}

/// Links, each of which causes the next one.
///
/// `@unchecked Sendable` is sound because they come one after the other, and `begin` and `links`
/// are used when none is in flight.
private final class Chain: @unchecked Sendable {
  private(set) var links = 0
  private var left = 0
  private let end = DispatchSemaphore(value: 0)

  /// Starts a number of links.
  func begin(_ count: Int) { left = count }

  /// Whether another link follows; if not, the chain is at its end.
  func advances() -> Bool {
    if left == 0 {
      end.signal()
      return false
    }
    left -= 1
    links += 1
    return true
  }

  func wait() { end.wait() }
}
