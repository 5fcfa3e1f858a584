import Glue
import Testing

@Suite("G7: every public call, made by pure code, stops with its own name")
struct G7EveryCallTests {
  @Test("perform, in a reducer")
  func performInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in
        Task.immediate { await store.perform(CounterIntent.ignore) }
      }
    }
    expectMessage(of: result, "perform(_:) was called", "return [AppEffect.save]")
  }

  @Test("perform, in a selector")
  func performInSelector() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .selector) { store, _ in
        Task.immediate { await store.perform(CounterIntent.ignore) }
      }
    }
    expectMessage(of: result, "perform(_:) was called", "return [AppEffect.save]")
  }

  @Test("perform, in an ==")
  func performInEquality() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .equality) { store, _ in
        Task.immediate { await store.perform(CounterIntent.ignore) }
      }
    }
    expectMessage(of: result, "perform(_:) was called", "return [AppEffect.save]")
  }

  @Test("perform, in a lasting:")
  func performInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in
        Task.immediate { await store.perform(CounterIntent.ignore) }
      }
    }
    expectMessage(of: result, "perform(_:) was called", "return [AppEffect.save]")
  }

  @Test("dispatch, in a lasting:")
  func dispatchInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in store.add(1) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("state, in a lasting:")
  func stateInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in _ = store.state }
    }
    expectMessage(of: result, "state was called", "with the state that the closure gets")
  }

  @Test("subscribe, in a lasting:")
  func subscribeInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in _ = store.subscribe { _ in } }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("cancel, in a lasting:")
  func cancelInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { _, subscription in subscription.value?.cancel() }
    }
    expectMessage(of: result, "or its release, was called", "holds and cancels it")
  }

  @Test("add, in a lasting:")
  func addInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in store.onWrote { _, _ in } }
    }
    expectMessage(of: result, "add(effectHandler:) was called", "where the store is made")
  }

  @Test("settled, in a lasting:")
  func settledInLasting() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .lasting) { store, _ in Task.immediate { await store.settled() } }
    }
    expectMessage(of: result, "settled() was called", "await store.perform(AppIntent.save)")
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

  @Test("values, in a selector")
  func valuesInSelector() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .selector) { store, _ in _ = store.values(of: \.value).makeAsyncIterator() }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("a view's state, in a reducer")
  func viewStateInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in
        _ = store.view(of: \.value, intent: CounterIntent.self).state
      }
    }
    expectMessage(of: result, "state was called", "with the state that the closure gets")
  }

  @Test("a view's dispatch, in a reducer")
  func viewDispatchInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in
        store.view(of: \.value, intent: CounterIntent.self).dispatch(.ignore)
      }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }

  @Test("subscribing to a view, in a reducer")
  func viewSubscribeInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      misuse(in: .reducer) { store, _ in
        _ = store.view(of: \.value, intent: CounterIntent.self).subscribe { _ in }
      }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("an observed store's state, in a reducer")
  func observedState() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await misuseObserved { _ = $0.state }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("an observed store's property, in a reducer")
  func observedProperty() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await misuseObserved { _ = $0.value }
    }
    expectMessage(of: result, "subscribe(selector:handler:) was called", "whose effect handler")
  }

  @Test("an observed store's dispatch, in a reducer")
  func observedDispatch() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      await misuseObserved { $0.dispatch(CounterIntent.ignore) }
    }
    expectMessage(of: result, "dispatch(_:) was called", "return [AppEffect.save]")
  }
}

/// Has a reducer that runs on the main actor use its own store, through one that is observed.
@MainActor
private func misuseObserved(_ call: @escaping @MainActor (ObservedStore<Counter>) -> Void) {
  misuse(in: .reducer) { store, _ in
    MainActor.assumeIsolated { call(ObservedStore(store)) }
  }
}
