import Glue
import GlueTesting
import ProcessSupport
import Testing

/// The threads of these tests have a stack of 512 KiB: five bytes kept for each of 100,000 links
/// would overflow it.
@Suite("G5: chains of dispatches use constant stack", .unwatched)
struct G5ConstantStackTests {
  private static let million = 1_000_000
  private static let many = 100_000

  @Test("a million links from a handler, and the store still works")
  func handlerChain() async {
    await expectHandlerChain(of: Self.million, delivery: .immediate)
  }

  @Test("a million links from a subscriber, and the store still works")
  func subscriberChain() async {
    await expectSubscriberChain(of: Self.million, delivery: .immediate)
  }

  @Test("100,000 links of both kinds where a custom delivery happens to run its bodies inline")
  func inlineBodies() async {
    await expectHandlerChain(of: Self.many, delivery: .custom { $0() })
    await expectSubscriberChain(of: Self.many, delivery: .custom { $0() })
  }

  @Test("100,000 deinits of effects that dispatch the next one", arguments: [false, true])
  func effectDeinits(isHandled: Bool) async {
    await expectDeinitChain { store, effect in
      if isHandled && store.state == 0 { store.on(Chained.self) { _, _ in } }
      store.dispatch(ChainIntent.emit { [effect()] })
    }
  }

  @Test("100,000 deinits of effects that were dropped or canceled")
  func droppedEffectDeinits() async {
    await expectDeinitChain { store, effect in
      if store.state == 0 { store.on(CounterEffect.self) { _, _ in } }
      let number = store.state
      let kept = Chained(OnDeinit {}).scheduled(.delay(.seconds(600)), id: number)
      store.dispatch(
        ChainIntent.emit {
          number % 2 == 0
            ? [kept, effect().scheduled(.leading, id: number)]
            : [effect().scheduled(.delay(.seconds(600)), id: number), CancelEffects(id: number)]
        })
      store.dispatch(ChainIntent.emit { [CancelEffects(id: number)] })
    }
  }

  @Test("100,000 deinits of selected values that repeat the last one")
  func selectedValueDeinits() async {
    struct Selected: Equatable {
      let held: OnDeinit
      static func == (a: Selected, b: Selected) -> Bool { true }
    }
    let next = Shared<(@Sendable (Int) -> Void)?>(nil)
    let store = Store(state: 0, reducer: chain)
    let subscription = store.subscribe(
      selector: { state in Selected(held: OnDeinit { next.value?(state) }) }, handler: { _ in })
    next.value = { [weak store] number in
      if number < Self.many, store?.state == number { store?.dispatch(ChainIntent.emit { [] }) }
    }

    await onThread { store.dispatch(ChainIntent.emit { [] }) }

    #expect(store.state == Self.many)
    next.value = nil
    subscription.cancel()
  }

  @Test("100,000 subscribers, the deinit of each of which cancels the next one")
  func subscriberDeinits() async {
    let store = Store()
    await onThread {
      var first: Subscription?
      for _ in 0..<Self.many {
        let next = Shared(first)
        let cancelling = OnDeinit { next.value?.cancel() }
        first = store.subscribe(selector: \.value) { _ in withExtendedLifetime(cancelling) {} }
      }
      first?.cancel()
    }
  }

  @Test("100,000 links between two stores that dispatch to one another")
  func chainAcrossStores() async {
    let one = Store()
    let other = Store()
    one.onWrote { [weak other] number, _ in if number < Self.many { other?.write(number + 1) } }
    other.onWrote { [weak one] number, _ in one?.write(number + 1) }

    await onThread { one.write(0) }

    #expect(one.state.value == Self.many)
  }

  @Test("100,000 effects of one commit, and as many commits queued for one delivery")
  func longQueues() async {
    let pump = Pump()
    let store = Store(
      state: 0,
      reducer: { (state, intent: CounterIntent) in
        state += 1
        guard case .add(let count) = intent else { return [] }
        return (0..<count).map { CounterEffect.wrote($0) }
      }, delivery: pump.delivery)
    let handled = Shared(0)
    store.on(CounterEffect.self) { _, _ in handled.change { $0 += 1 } }

    await onThread {
      store.dispatch(CounterIntent.add(Self.many))
      for _ in 0..<Self.many { store.dispatch(CounterIntent.add(1)) }
      pump.run()
    }

    #expect(handled.value == 2 * Self.many)
  }

  @Test("5,000 cancellations that dispatch, each beside the deinit that causes the next one")
  func cancellations() async {
    struct Idle: Effect {}
    let (count, clock) = (5_000, TestClock())
    let store = Store(state: 0, reducer: chain, clock: clock)
    store.on(Idle.self) { [weak store] _, _ async in
      await withTaskCancellationHandler {
        for await _ in AsyncStream<Never>.makeStream().stream {}
      } onCancel: { [weak store] in
        store?.dispatch(ChainIntent.emit { [Chained(OnDeinit {})] })
      }
    }
    store.dispatch(ChainIntent.emit { (0..<count).map { Idle().scheduled(.latest, id: $0) } })
    await clock.rest()
    @Sendable func cancel(_ id: Int, in store: Store<Int>?) {
      guard let store, id < count else { return }
      store.dispatch(
        ChainIntent.emit { [weak store] in
          [CancelEffects(id: id), Chained(OnDeinit { [weak store] in cancel(id + 1, in: store) })]
        })
    }
    await onThread { cancel(0, in: store) }
    #expect(store.state == 1 + 2 * count)
  }

  @Test("20,000 cancellations, each of which dispatches the next one")
  func cancellationChain() async {
    struct Idle: Effect { let id: Int }
    let (count, clock) = (20_000, TestClock())
    let store = Store(state: 0, reducer: chain, clock: clock)
    @Sendable func cancel(_ id: Int, in store: Store<Int>?) {
      if id < count { store?.dispatch(ChainIntent.emit { [CancelEffects(id: id)] }) }
    }
    store.on(Idle.self) { [weak store] effect, _ async in
      await withTaskCancellationHandler {
        for await _ in AsyncStream<Never>.makeStream().stream {}
      } onCancel: { [weak store] in
        cancel(effect.id + 1, in: store)
      }
    }
    store.dispatch(ChainIntent.emit { (0..<count).map { Idle(id: $0).scheduled(.latest, id: $0) } })
    await clock.rest()
    await onThread { cancel(0, in: store) }
    await store.settled()
    #expect(store.state == 1 + count)
  }

  @Test("a deinit that dispatches 100,000 intents takes linear time")
  func deinitBurst() async {
    let store = Store(state: 0, reducer: chain)
    let burst = Shared<Chained?>(
      Chained(
        OnDeinit { [weak store] in
          for _ in 0..<Self.many {
            store?.dispatch(ChainIntent.emit { [Chained(OnDeinit {})] })
          }
        }))
    await onThread {
      store.dispatch(
        ChainIntent.emit { burst.change { burst in burst.take().map { [$0] } ?? [] } })
    }
    #expect(store.state == 1 + Self.many)
  }
}

/// Emits effects, each of which has the next one emitted as it is released.
private func expectDeinitChain(
  _ emit: @escaping @Sendable (Store<Int>, _ effect: @escaping @Sendable () -> Chained) -> Void
) async {
  let store = Store(state: 0, reducer: chain)
  @Sendable func emitNext(in store: Store<Int>?) {
    guard let store, store.state < 100_000 else { return }
    emit(store) { [weak store] in Chained(OnDeinit { [weak store] in emitNext(in: store) }) }
  }
  await onThread { emitNext(in: store) }
  #expect(store.state >= 100_000)
}

private struct Chained: Effect {
  let held: OnDeinit

  init(_ held: OnDeinit) { self.held = held }
}

private enum ChainIntent: Intent { case emit(@Sendable () -> [any Effect]) }

private func chain(count: inout Int, intent: ChainIntent) -> [any Effect] {
  count += 1
  switch intent {
  case .emit(let effects): return effects()
  }
}

private func expectHandlerChain(of length: Int, delivery: Delivery) async {
  let store = Store(delivery: delivery)
  store.onWrote { number, dispatch in
    if number < length { dispatch(CounterIntent.write(number + 1)) }
  }

  await onThread { store.write(1) }

  #expect(store.state.value == length)
  let transcript = Transcript<Int>()
  let subscription = store.subscribe(selector: \.value) { transcript.write($0) }
  store.add(1)
  #expect(transcript.lines == [length, length + 1])
  withExtendedLifetime(subscription) {}
}

private func expectSubscriberChain(of length: Int, delivery: Delivery) async {
  let store = Store(delivery: delivery)
  let subscription = store.subscribe(selector: \.value) { [weak store] in
    if 0 < $0, $0 < length { store?.add(1) }
  }

  await onThread { store.add(1) }
  #expect(store.state.value == length)

  store.add(5)
  #expect(store.state.value == length + 5)
  withExtendedLifetime(subscription) {}
}
