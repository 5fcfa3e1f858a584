import Dispatch
import Glue
import ProcessSupport
import Testing

@Suite("Middleware and threads", .tags(.threads))
struct MiddlewareThreadsTests {
  @Test("it runs on the dispatching threads, on several at once")
  func atOnce() async {
    let entered = Shared(0)
    let allEntered = Gate()
    let store = Store { chain, intent in
      if entered.change({
        $0 += 1; return $0
      }) == 2 {
        allEntered.open()
      }
      allEntered.pass()
      chain.next(intent)
    }
    await onThread { onThreads(2) { _ in store.add(1) } }
    #expect(store.state.value == 2)
  }

  @Test("it may wait for another thread that uses the store, on both sides of next (G6)")
  func noLockHeld() async {
    let slot = Shared<Store<Counter>?>(nil)
    @Sendable func useElsewhere() {
      onThreads(1) { _ in
        slot.value?.add(1)
        _ = slot.value?.state
        slot.value?.subscribe { _ in }.cancel()
      }
    }
    let store = Store { chain, intent in
      guard case CounterIntent.write = intent else { return chain.next(intent) }
      useElsewhere()
      chain.next(intent)
      useElsewhere()
    }
    slot.value = store

    await onThread { store.write(10) }

    #expect(store.state.value == 11)
    slot.value = nil
  }

  @Test("calls of another thread, while the chain is built, wait for the store, and none is lost")
  func dispatchedWhileBuilding() async {
    let isDone = Gate()
    let isStarted = Gate()
    let seen = Shared<[Int]>([])
    let early: Middleware<[Int]> = { dispatch, getState in
      DispatchQueue.global().async {
        isStarted.open()
        for number in 1...3 { dispatch(Noted(number: number)) }
        seen.value = getState()
        isDone.open()
      }
      return { next in
        isStarted.pass()
        return { intent in
          next(intent)
          if let noted = intent as? Noted, noted.number < 10 {
            dispatch(Noted(number: noted.number + 10))
          }
        }
      }
    }
    let store = Store(
      state: [],
      reducer: { (state: inout [Int], noted: Noted) in
        state.append(noted.number)
        return []
      }, middleware: [early], first: [Noted(number: 0)], handlers: { _ in })
    await onThread { isDone.pass() }
    #expect(store.state == [0, 1, 11, 2, 12, 3, 13])
    #expect(seen.value == store.state)
  }

  private struct Noted: Intent { let number: Int }

  @Test("no call of a thread is lost while the chain is built, or just after")
  func startedByFactory() async {
    for _ in 1...2000 {
      let states = Transcript<Int>()
      let group = DispatchGroup()
      let early: Middleware<Counter> = { dispatch, getState in
        DispatchQueue.global().async(group: group) {
          dispatch(CounterIntent.add(1))
          states.write(getState().value)
        }
        return { next in
          DispatchQueue.global().async(group: group) { next(CounterIntent.add(10)) }
          return next
        }
      }
      let store = Store(state: Counter(), reducer: counter, middleware: [early])
      await withCheckedContinuation { continuation in
        group.notify(queue: .global()) { continuation.resume() }
      }
      #expect(store.state.value == 11)
      #expect([[0], [1], [10], [11]].contains(states.lines))
    }
  }

  @Test("no intent is lost or doubled where several threads dispatch")
  func manyThreads() async {
    let store = Store { chain, intent in
      chain.next(intent)
      if intent as? CounterIntent == .add(1) { chain.dispatch(CounterIntent.add(1000)) }
    }
    await onThread { onThreads(4) { _ in for _ in 0..<500 { store.add(1) } } }
    #expect(store.state.value == 4 * 500 * 1001)
  }

  @Test("dispatch returns with the intent reduced, though another thread is delivering (G2)")
  func readYourWrites() async {
    let handling = Gate()
    let mayReturn = Gate()
    let store = Store { chain, intent in chain.next(intent) }
    store.onWrote { _, dispatch in
      handling.open()
      mayReturn.pass()
    }
    async let delivering: Void = onThread { store.write(1) }

    let read = await onThread {
      handling.pass()
      store.add(1)
      return store.state.value
    }

    #expect(read == 2)
    mayReturn.open()
    await delivering
  }

  @Test("a handler reads what it has dispatched, and its chains use constant stack (G2, G5)")
  func chains() async {
    let isRead = Shared(true)
    let slot = Shared<Store<Counter>?>(nil)
    let store = Store { chain, intent in chain.next(intent) }
    slot.value = store
    store.onWrote { number, dispatch in
      if number == 100_000 { return }
      dispatch(CounterIntent.write(number + 1))
      if slot.value?.state.value != number + 1 { isRead.value = false }
    }

    await onThread { store.write(0) }

    #expect(store.state.value == 100_000)
    #expect(isRead.value)
    slot.value = nil
  }
}
