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
      growing("effects of one id, delayed by nothing", .linear) { ends(of: $0, .delay(.zero)) },
    ].flatMap(\.self), isOnDemand: true)
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
  let tally = Tally()
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

// MARK: - What they need

private struct Emission: Intent { let effects: @Sendable () -> [any Effect] }

/// Counts the intents.
private func emitting(count: inout Int, intent: Emission) -> [any Effect] {
  count += 1
  return intent.effects()
}

extension Store<Int> {
  /// Dispatches an intent with effects that the store alone holds.
  fileprivate func emit(_ effects: @escaping @Sendable () -> [any Effect]) {
    dispatch(Emission(effects: effects))
  }
}

/// An effect that runs a body when it is released.
private struct Held: Effect {
  private final class OnDeinit: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    deinit { body() }
  }

  private let onDeinit: OnDeinit

  init(_ body: @escaping @Sendable () -> Void = {}) { onDeinit = OnDeinit(body) }
}

/// A clock on which nothing takes time, so that the same instructions run each time.
private final class TimelessClock: Clock {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    time.withLock { $0 = max($0, deadline) }
  }
}

private struct Idle: Effect, Hashable { let id: Int }

/// A store with a number of effects that run until they are canceled.
///
/// Each lies in a part of its own, the effect's id.
private final class Crowd {
  let store = Store(state: 0, reducer: emitting)
  private let ended = DispatchSemaphore(value: 0)

  /// Starts the effects; `onCancel` is called as one is canceled, with its id.
  init(of size: Int, onCancel: (@Sendable (Store<Int>, Int) -> Void)? = nil) {
    let begun = DispatchSemaphore(value: 0)
    store.on(Idle.self) { [weak store, ended] effect, _ async in
      await withTaskCancellationHandler {
        begun.signal()
        for await _ in AsyncStream<Never>.makeStream().stream {}
      } onCancel: { [weak store] in
        if let store { onCancel?(store, effect.id) }
      }
      ended.signal()
    }
    for id in 0..<size { store.emit { [Idle(id: id).scheduled(.latest, id: PartID(id, "idle"))] } }
    for _ in 0..<size { begun.wait() }
  }

  /// Waits until the handlers of as many effects have ended.
  func awaitEnds(of count: Int) {
    for _ in 0..<count { ended.wait() }
  }

  /// Waits, so that no task is left that counts for the next subject.
  ///
  /// A task must not hold this, because it would wait for itself.
  deinit {
    runBlocking { [store] in await store.shutdown() }
  }
}

/// Runs a body on a thread whose stack a chain would overflow that keeps 128 bytes a link.
private func onSmallStack(_ body: @escaping @Sendable () -> Void) {
  let end = DispatchSemaphore(value: 0)
  let thread = Thread {
    body()
    end.signal()
  }
  thread.stackSize = 512 << 10
  thread.start()
  end.wait()
}
