import Glue
import ProcessSupport
import Testing

/// Each misuse happens in a process of its own, whose test reads the message that it stops with.
///
/// The lock that all calls take knows its holder, for any code that runs under it. So one call is
/// made from each place, and every other call from one.
@Suite("G7: a store used by its own reducer, a selector or an == stops with a message")
struct G7PurityTests {
  @Test("dispatch, in a reducer")
  func dispatchInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in store.dispatch(CounterIntent.ignore) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("dispatch, in a selector")
  func dispatchInSelector() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .selector) { store, _ in store.dispatch(CounterIntent.ignore) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("dispatch, in an ==")
  func dispatchInEquality() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .equality) { store, _ in store.dispatch(CounterIntent.ignore) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("dispatch, in a lasting:")
  func dispatchInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in store.add(1) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("state, in a reducer")
  func stateInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in _ = store.state }
    }
    expectMessage(of: result, "state was called", "with the state that the closure gets")
  }

  @Test("subscribing, in a reducer")
  func subscribeInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in _ = store.subscribe { _ in } }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("subscribing for the main actor, in a reducer")
  func subscribeForMainActorInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in _ = store.subscribe { @MainActor _ in } }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("adding a handler of the main actor, in a reducer")
  func addForMainActorInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in store.on(CounterEffect.self) { @MainActor _, _ in } }
    }
    expectMessage(of: result, "add(effectHandler:) was called", "where the store is made")
  }

  @Test("settled(), in a reducer")
  func settledInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in Task.immediate { await store.settled() } }
    }
    expectMessage(of: result, "settled() was called", "await store.perform(AppIntent.save)")
  }

  @Test("shutdown(), in a selector")
  func shutdownInSelector() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .selector) { store, _ in Task.immediate { await store.shutdown() } }
    }
    expectMessage(of: result, "shutdown() was called", "where the program ends")
  }

  @Test("perform, in a reducer")
  func performInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in
        Task.immediate { await store.perform(CounterIntent.ignore) }
      }
    }
    expectMessage(of: result, "perform(_:) was called", "return [AppEffect.save]")
  }

  @Test("delivered(), in a reducer")
  func deliveredInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in Task.immediate { await store.delivered() } }
    }
    expectMessage(of: result, "delivered() was called", "where the intents are dispatched")
  }

  @Test("shutdown(finishing:within:), in an ==")
  func shutdownInEquality() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .equality) { store, _ in
        Task.immediate { await store.shutdown(finishing: .zero, within: .zero) }
      }
    }
    expectMessage(of: result, "shutdown() was called", "where the program ends")
  }

  @Test("adding a handler, in a reducer")
  func addInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in store.on(CounterEffect.self) { _, _ in } }
    }
    expectMessage(of: result, "add(effectHandler:) was called", "where the store is made")
  }

  @Test("canceling, in a reducer")
  func cancelInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { _, subscription in subscription.value?.cancel() }
    }
    expectMessage(of: result, "cancel() of a Subscription", "holds and cancels it")
  }

  @Test("releasing a subscription, in a reducer")
  func releaseInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { _, subscription in subscription.value = nil }
    }
    expectMessage(of: result, "or its release, was called", "holds and cancels it")
  }

  @Test(
    "the release of a subscription that was canceled before does nothing, though a call is queued")
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

  @Test("a thunk, in a reducer of a store that reports problems")
  func thunkInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let held = Shared<Store<Int>?>(nil)
      held.value = Store(
        state: 0,
        reducer: { (_: inout Int, _: CounterIntent) in
          held.value?.dispatch(Thunk<Int> { _, _ in })
          return []
        }, report: { _ in })
      held.value?.dispatch(CounterIntent.ignore)
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
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

  @Test("dispatch, from another store's subscriber that a reducer has called")
  func dispatchThroughAnotherStore() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let other = Store()
      let subscription = Shared<Subscription?>(nil)
      misuse(in: .reducer) { store, _ in
        subscription.value = other.subscribe { if $0.value == 1 { store.add(1) } }
        other.add(1)
      }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("state, in the == of an id, as another effect of that id is emitted")
  func impureID() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let store = Store<[String]>()
      store.onQuickWork { _, _ in }
      for _ in 1...2 {
        let id = Impure(store: store)
        store.emit(QuickWork(name: "").scheduled(.delay(.seconds(60)), id: id))
      }
    }
    expectMessage(of: result, "state was called", "with the state that the closure gets")
  }

  @Test(
    "another thread reads and dispatches while a reducer runs, and nothing stops", .tags(.threads))
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

/// An id whose comparison uses a store; all have the same hash.
private struct Impure: Hashable, Sendable {
  let store: Store<[String]>

  func hash(into hasher: inout Hasher) {}

  static func == (a: Impure, b: Impure) -> Bool { a.store.state.isEmpty }
}
