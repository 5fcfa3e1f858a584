import Glue
import Testing

/// Each test runs a store's misuse in a process of its own and reads the message that it stops with.
@Suite("G7: a store used by its own reducer, a selector or an == stops with a message")
struct G7PurityTests {
  @Test("dispatch, from a reducer")
  func dispatchInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      useInReducer { $0.dispatch(CounterIntent.ignore) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("state, from a reducer")
  func stateInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      useInReducer { _ = $0.state }
    }
    expectMessage(of: result, "state was called", "with the state that the closure was given")
  }

  @Test("subscribe, from a reducer")
  func subscribeInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      useInReducer { _ = $0.subscribe { _ in } }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("add, from a reducer")
  func addInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      useInReducer { $0.on(CounterEffect.self) { _, _ in } }
    }
    expectMessage(of: result, "add(effectHandler:) was called", "where the store is made")
  }

  @Test("cancel, from a reducer")
  func cancelInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      useSubscriptionInReducer { $0.value?.cancel() }
    }
    expectMessage(of: result, "cancel() of a Subscription", "holds and cancels it")
  }

  @Test("the release of a subscription, from a reducer")
  func releaseInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      useSubscriptionInReducer { $0.value = nil }
    }
    expectMessage(of: result, "or its release, was called", "holds and cancels it")
  }

  @Test(
    "the release of a subscription that was cancelled before does nothing, though a call is queued")
  func releaseOfACancelledOne() {
    let pump = Pump()
    let subscription = Shared<Subscription?>(nil)
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, _: CounterIntent) in
        subscription.value = nil
        state += 1
        return []
      }, delivery: pump.delivery)
    subscription.value = store.subscribe { _ in }
    subscription.value?.cancel()

    store.dispatch(CounterIntent.ignore)

    #expect(store.state == 1)
    pump.run()
  }

  @Test("the release of a posted body, from a reducer")
  func bodyDroppedInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let pump = Pump()
      let store = Store(
        state: 0,
        reducer: { (_: inout Int, _: CounterIntent) in
          _ = pump.next()
          return []
        }, delivery: pump.delivery)
      let subscription = store.subscribe { _ in }
      store.dispatch(CounterIntent.ignore)
      withExtendedLifetime(subscription) {}
    }
    expectMessage(of: result, "the release of a body", "where the loop that runs such bodies ends")
  }

  @Test("a dispatch callback, from a reducer")
  func callbackInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let kept = Shared<DispatchFunc?>(nil)
      let store = Store(state: 0) { (state: inout Int, intent: CounterIntent) in
        kept.value?(CounterIntent.ignore)
        return [CounterEffect.wrote(1)]
      }
      store.on(CounterEffect.self) { _, dispatch in kept.value = dispatch }
      store.dispatch(CounterIntent.ignore)
      store.dispatch(CounterIntent.ignore)
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("dispatch, from a selector")
  func dispatchInSelector() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let subscription = store.subscribe(
        selector: { [weak store] state in
          if state.value == 1 { store?.add(1) }
          return state.value
        }, handler: { _ in })
      store.add(1)
      withExtendedLifetime(subscription) {}
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("state, from a selector that is run by subscribing")
  func stateInSelector() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      _ = store.subscribe(selector: { [weak store] _ in store?.state.value }, handler: { _ in })
    }
    expectMessage(of: result, "state was called", "with the state that the closure was given")
  }

  /// A value whose `==` reads a store.
  struct Nosy: Equatable, Sendable {
    let store: Store<Counter>

    static func == (a: Nosy, b: Nosy) -> Bool { a.store.state.value == 0 }
  }

  @Test("state, from an == of selected values")
  func stateInEquality() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store()
      let subscription = store.subscribe(
        selector: { [unowned store] _ in Nosy(store: store) }, handler: { _ in })
      store.add(1)
      withExtendedLifetime(subscription) {}
    }
    expectMessage(of: result, "state was called", "with the state that the closure was given")
  }

  @Test("dispatch, from another store's subscriber that a reducer has called")
  func dispatchThroughAnotherStore() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let other = Store()
      let subscription = Shared<Subscription?>(nil)
      useInReducer { store in
        subscription.value = other.subscribe { if $0.value == 1 { store.add(1) } }
        other.add(1)
      }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("another thread reads and dispatches while a reducer runs, and nothing stops")
  func anotherThread() async {
    let inReducer = Gate()
    let mayReturn = Gate()
    let store = Store(state: 0) { (state: inout Int, intent: CounterIntent) in
      state += 1
      if state == 1 {
        inReducer.open()
        mayReturn.pass()
      }
      return []
    }

    async let first: Void = onThread { store.dispatch(CounterIntent.ignore) }
    async let read = onThread {
      inReducer.pass()
      // The reducer may return just before this thread gets to the lock, never before it is here.
      mayReturn.open()
      return store.state
    }
    async let dispatched: Void = onThread {
      inReducer.pass()
      store.dispatch(CounterIntent.ignore)
    }
    _ = await (first, read, dispatched)

    #expect(await read >= 1)
    #expect(store.state == 2)
  }

  @Test("a reducer may use another store")
  func anotherStore() {
    let other = Store()
    let store = Store(state: 0) { (state: inout Int, intent: CounterIntent) in
      other.add(1)
      state = other.state.value
      return []
    }
    store.dispatch(CounterIntent.ignore)
    #expect(store.state == 1)
  }
}

private func expectMessage(
  of result: ExitTest.Result?, _ parts: String..., sourceLocation: SourceLocation = #_sourceLocation
) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  for part in parts + ["by that store's own reducer, or by a selector or an `==`"] {
    #expect(output.contains(part), sourceLocation: sourceLocation)
  }
}

/// Has a store's reducer do something with the store.
private func useInReducer(_ body: @escaping @Sendable (Store<Counter>) -> Void) {
  let slot = Shared<Store<Counter>?>(nil)
  let store = Store(state: Counter()) { (_: inout Counter, _: CounterIntent) in
    if let store = slot.value { body(store) }
    return []
  }
  slot.value = store
  store.dispatch(CounterIntent.ignore)
}

private func useSubscriptionInReducer(
  _ body: @escaping @Sendable (Shared<Subscription?>) -> Void
) {
  let subscription = Shared<Subscription?>(nil)
  useInReducer { _ in body(subscription) }
  let store = Store(state: Counter()) { (_: inout Counter, _: CounterIntent) in
    body(subscription)
    return []
  }
  subscription.value = store.subscribe { _ in }
  store.dispatch(CounterIntent.ignore)
}
