import Dispatch
import Foundation
import Glue
import Synchronization

/// Operations that must not cost more than promised as something grows.
func growthGroup() -> Group {
  Group(
    name: "growth",
    subjects: [
      growing("a deinit's dispatches", .linear, prepare: deinitBurst),
      growing("a chain of cancellations", .linear, from: 500, prepare: cancellationChain),
      growing("100 canceled rows, beside effects", .constant, from: 500, prepare: canceledRows),
      growing(
        "100 calls of settled(), beside effects", .constant, from: 500, prepare: settledCalls),
      growing("a dispatch, beside lasting effects", .linear, prepare: besideLasting),
      growing("shutdown() of effects", .linear, from: 250, prepare: shutDown),
      growing("1000 subscriptions, beside subscribers", .constant, prepare: subscriptions),
      growing("dropped bodies", .linear, prepare: droppedBodies),
      growing("a chain of dropped bodies", .linear, prepare: droppedChain),
      growing("a chain of bodies", .linear, prepare: bodyChain),
      growing("sequential effects of one id", .linear, prepare: { ends(of: $0, .sequential) }),
      growing("delayed effects of one id", .linear) { ends(of: $0, .delay(.milliseconds(1))) },
      growing("concurrent effects of one id", .linear) { ends(of: $0, .concurrent) },
    ].flatMap(\.self) + growthOfCalls() + growthOfStates(), isOnDemand: true)
}

private func deinitBurst(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting)
  return {
    onSmallStack {
      store.emit { [weak store] in
        [Held { [weak store] in for _ in 0..<size { store?.emit { [Held()] } } }]
      }
    }
    return store.state == 1 + size
  }
}

private func cancellationChain(_ size: Int) -> () -> Bool {
  let crowd = Crowd(of: size) { store, id in
    if id + 1 < size { store.emit { [CancelEffects(part: id + 1)] } }
  }
  return {
    onSmallStack { [store = crowd.store] in store.emit { [CancelEffects(part: 0)] } }
    runBlocking { [store = crowd.store] in await store.settled() }
    return crowd.store.state == size + size
  }
}

private func canceledRows(_ size: Int) -> () -> Bool {
  let crowd = Crowd(of: size + 101)
  crowd.store.emit { [CancelEffects(part: size + 100)] }
  crowd.awaitEnds(of: 1)
  return {
    for id in size..<(size + 100) { crowd.store.emit { [CancelEffects(part: id)] } }
    crowd.awaitEnds(of: 100)
    return crowd.store.state == size + 202
  }
}

/// A canceled task waits for nothing, but asks whether it must.
private func settledCalls(_ size: Int) -> () -> Bool {
  let crowd = Crowd(of: size)
  @Sendable func settle(times count: Int, _ store: Store<Int>) {
    runBlocking {
      withUnsafeCurrentTask { $0?.cancel() }
      for _ in 0..<count { await store.settled() }
    }
  }
  settle(times: 1, crowd.store)  // the first call lists the tasks
  return {
    settle(times: 100, crowd.store)
    return crowd.store.state == size
  }
}

private func besideLasting(_ size: Int) -> () -> Bool {
  let effects = (0..<size).map { Idle(id: $0).lasting(id: $0) }
  let store = Store(state: 0, reducer: emitting, lasting: { _ in effects })
  return {
    store.emit { [] }
    return store.state == 1
  }
}

private func shutDown(_ size: Int) -> () -> Bool {
  let crowd = Crowd(of: size)
  return {
    runBlocking { [store = crowd.store] in await store.shutdown() }
    return crowd.store.state == size
  }
}

private func subscriptions(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting)
  let tally = CallCount()
  let others = (0..<size).map { _ in store.subscribe { _ in tally.add() } }
  return {
    for _ in 0..<1000 { store.subscribe { _ in tally.add() }.cancel() }
    return withExtendedLifetime(others) { tally.count == size + 1000 }
  }
}

private func droppedBodies(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting, delivery: .custom { _ in })
  store.on(Held.self) { _, _ in }
  return {
    for _ in 0..<size { store.emit { [Held()] } }
    return store.state == size
  }
}

private func droppedChain(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting, delivery: .custom { _ in })
  store.on(Held.self) { _, _ in }
  @Sendable func drop(in store: Store<Int>?) {
    guard let store, store.state < size else { return }
    store.emit { [weak store] in [Held { [weak store] in drop(in: store) }] }
  }
  return {
    onSmallStack { drop(in: store) }
    return store.state == size
  }
}

private func bodyChain(_ size: Int) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting, delivery: .custom { $0() })
  store.on(Held.self) { [weak store] _, _ in
    if let store, store.state < size { store.emit { [Held()] } }
  }
  return {
    onSmallStack { store.emit { [Held()] } }
    return store.state == size
  }
}

private func ends(of size: Int, _ policy: EffectPolicy) -> () -> Bool {
  let store = Store(state: 0, reducer: emitting, clock: TimelessClock())
  let ended = Atomic(0)
  store.on(Held.self) { (_, _) async in ended.add(1, ordering: .relaxed) }
  return {
    for _ in 0..<size { store.emit { [Held().scheduled(policy, id: 0)] } }
    runBlocking { await store.settled() }
    return ended.load(ordering: .relaxed) == size
  }
}
