import Glue
import ProcessSupport
import Testing

@Suite("Middleware before and after its store (G7, G9)")
struct MiddlewareLifetimeTests {
  @Test("dispatch, while the chain is being built, stops with a message")
  func dispatchWhileBuilding() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let eager: Middleware<Counter> = { dispatch, _ in
        dispatch(CounterIntent.add(1))
        return { $0 }
      }
      _ = Store(state: Counter(), reducer: counter, middleware: [eager])
    }
    expectBuildingMessage(of: result, "a middleware called dispatch(_:) while")
  }

  @Test("next, while the chain is being built, stops with a message")
  func nextWhileBuilding() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let eager: Middleware<Counter> = { _, _ in
        { next in
          next(CounterIntent.add(1))
          return next
        }
      }
      _ = Store(state: Counter(), reducer: counter, middleware: [eager])
    }
    expectBuildingMessage(of: result, "a middleware called next(_:) while")
  }

  @Test("getState, while the chain is being built, gives the state on any thread, and never waits")
  func getStateWhileBuilding() {
    let seen = Transcript<Int>()
    let eager: Middleware<Counter> = { _, getState in
      seen.write(getState().value)
      onThreads(1) { _ in seen.write(getState().value) }
      return { next in
        onThreads(1) { _ in seen.write(getState().value) }
        return next
      }
    }
    _ = Store(
      state: Counter(), reducer: counter, middleware: [eager], first: [CounterIntent.add(7)],
      handlers: { _ in })
    #expect(seen.lines == [7, 7, 7])
  }

  @Test("a closure that waits for a thread that dispatches stops with a message")
  func waitingWhileBuilding() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Patience.ofThreads.withValue(0.01) {
        let waiting: Middleware<Counter> = { dispatch, _ in
          let patience = Patience.ofThreads.get()
          onThreads(1) { _ in
            Patience.ofThreads.withValue(patience) { dispatch(CounterIntent.add(1)) }
          }
          return { $0 }
        }
        _ = Store(state: Counter(), reducer: counter, middleware: [waiting])
      }
    }
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(output.contains("dispatch(_:) has waited for a minute, because the chain of"))
  }

  @Test("dispatch, in a reducer, stops even where a middleware would drop the intent")
  func dispatchInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let slot = Shared<Store<Int>?>(nil)
      let dropping = middleware { (chain: Chain<Int>, intent) in
        if intent as? CounterIntent != .ignore { chain.next(intent) }
      }
      let store = Store(
        state: 0,
        reducer: { (_: inout Int, _: CounterIntent) in
          slot.value?.dispatch(CounterIntent.ignore)
          return []
        }, middleware: [dropping])
      slot.value = store
      store.dispatch(CounterIntent.add(1))
    }
    expectPurityMessage(of: result, "dispatch(_:) was called")
  }

  @Test("getState, in a reducer, stops with the message of state")
  func getStateInReducer() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let kept = Shared<(@Sendable () -> Int)?>(nil)
      let keeping: Middleware<Int> = { _, getState in
        kept.value = getState
        return { $0 }
      }
      let store = Store(
        state: 0,
        reducer: { (state: inout Int, _: CounterIntent) in
          state += kept.value?() ?? 0
          return []
        }, middleware: [keeping])
      store.dispatch(CounterIntent.ignore)
    }
    expectPurityMessage(of: result, "state was called")
  }

  @Test("kept from a store that is gone, next and dispatch do nothing, and getState is the last")
  func keptFunctions() {
    let kept = Shared<Chain<Counter>?>(nil)
    var store: Store<Counter>? = Store { chain, intent in
      kept.value = chain
      chain.next(intent)
    }
    store?.add(7)
    store = nil

    kept.value?.next(CounterIntent.add(1))
    kept.value?.dispatch(CounterIntent.add(1))
    kept.value?.dispatch(AsyncThunk<Counter> { _, _ in })

    #expect(kept.value?.getState().value == 7)
  }

  @Test("a chain that keeps all its functions does not keep the store, which releases it")
  func noCycle() {
    let chainIsGone = Shared(false)
    var store: Store<Counter>? = {
      let owned = OnDeinit { chainIsGone.value = true }
      let kept = Transcript<Chain<Counter>>()
      let keeping = middleware { (chain: Chain<Counter>, intent) in
        kept.write(chain)
        chain.next(intent)
        withExtendedLifetime(owned) {}
      }
      return Store(state: Counter(), reducer: counter, middleware: [keeping])
    }()
    store?.write(1)
    let weak = Weak(object: store)

    store = nil

    #expect(weak.object == nil)
    #expect(chainIsGone.value)
  }

  @Test("getState may be called while another thread releases the store", .tags(.threads))
  func readWhileGoing() async {
    let outcome = await onThread {
      (0..<500).allSatisfy { number in
        let kept = Shared<(@Sendable () -> Counter)?>(nil)
        let slot = Shared<Store<Counter>?>(
          Store { chain, intent in
            kept.value = chain.getState
            chain.next(intent)
          })
        slot.value?.add(number)
        let isRight = Shared(true)
        onThreads(2) { thread in
          if thread == 0 {
            slot.value = nil
          } else if kept.value?().value != number {
            isRight.value = false
          }
        }
        return isRight.value
      }
    }
    #expect(outcome)
  }
}

private func expectBuildingMessage(
  of result: ExitTest.Result?, _ call: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(output.contains(call), sourceLocation: sourceLocation)
  for part in ["the chain of middleware was being built", "store.dispatch(AppIntent.start), where"]
  {
    #expect(output.contains(part), sourceLocation: sourceLocation)
  }
}

private func expectPurityMessage(
  of result: ExitTest.Result?, _ call: String, sourceLocation: SourceLocation = #_sourceLocation
) {
  let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  #expect(output.contains(call), sourceLocation: sourceLocation)
  #expect(output.contains("by that store's own reducer"), sourceLocation: sourceLocation)
}
