import Glue
import Synchronization

/// Dispatching without subscribers.
func dispatchGroup() -> Group {
  Group(
    name: "dispatch",
    subjects: [
      counterFloor(intent: .add(1)),
      Subject(name: "erased") {
        .dispatching(.add(1), to: Store(state: Counter(), reducer: counter))
      },
      typedFloor(),
      Subject(name: "typed", floor: "typed floor") {
        .dispatching(.add(1), to: Store(state: Counter(), reducer: typedCounter))
      },
      Subject(name: "actor, awaited by a task", floor: "typed", prepare: actorCalls),
    ])
}

/// An actor around the same reducer, without subscribers, effects or an order for them.
private func actorCalls() -> Work {
  let counting = CountingActor()
  return Work(
    run: { count in
      runBlocking { for _ in 0..<count { await counting.reduce(.add(1)) } }
    },
    isDone: { total in
      let tally = CallCount()
      runBlocking { if await counting.counter.value == total { tally.add() } }
      return tally.count == 1
    })
}

private actor CountingActor {
  private(set) var counter = Counter()

  func reduce(_ intent: CounterIntent) { _ = typedCounter(state: &counter, intent: intent) }
}

/// The floor of a reducer of one type of intents, which needs no cast.
private func typedFloor() -> Subject {
  Subject(name: "typed floor", floor: nil) {
    let locked = LockedReducer(Counter(), typedCounter)
    return Work(
      run: { count in for _ in 0..<count { locked.reduce(.add(1)) } },
      isDone: { total in locked.mutex.withLock { $0.value } == total })
  }
}

/// Reading a small state.
func readingGroup() -> Group {
  Group(
    name: "reading",
    subjects: [
      Subject(name: "empty lock", floor: nil) {
        let lock = Mutex(0)
        return Work(
          run: { count in for _ in 0..<count { lock.withLock { _ in } } },
          isDone: { _ in true })
      },
      Subject(name: "state", floor: "empty lock") {
        let store = Store(state: Counter(value: 1), reducer: counter)
        var sum = 0
        return Work(
          run: { count in for _ in 0..<count { sum += store.state.value } },
          isDone: { total in sum == total })
      },
    ])
}

/// Creating and releasing a store.
func storeGroup() -> Group {
  Group(
    name: "store",
    subjects: [
      Subject(name: "made and freed", floor: nil) { .making { _ in } },
      Subject(name: "made and freed, with a handler", floor: nil) {
        .making { store in store.on(CounterEffect.self) { _, _ in } }
      },
      Subject(name: "made and freed, with a handler in a block", floor: nil) {
        .making(
          by: {
            Store(
              state: Counter(), reducer: counter,
              handlers: { handlers in handlers.on(CounterEffect.self) { _, _ in } })
          }
        ) { _ in }
      },
      Subject(name: "made and freed, with a handler and a subscriber", floor: nil) {
        .making { store in
          store.on(CounterEffect.self) { _, _ in }
          withExtendedLifetime(store.subscribe(selector: \.value) { _ in }) {}
        }
      },
    ])
}

extension Work {
  /// Creates stores, equips and uses each once, and releases it.
  fileprivate static func making(
    by make: @escaping () -> Store<Counter> = { Store(state: Counter(), reducer: counter) },
    equip: @escaping (Store<Counter>) -> Void
  ) -> Work {
    var sum = 0
    return Work(
      run: { count in
        for _ in 0..<count {
          let store = make()
          equip(store)
          store.dispatch(CounterIntent.add(1))
          sum += store.state.value
        }
      },
      isDone: { total in sum == total })
  }
}
