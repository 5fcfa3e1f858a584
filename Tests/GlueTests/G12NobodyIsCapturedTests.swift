import Glibc
import Glue
import Testing

@Suite("G12: no call is held up by other threads' deliveries for ever")
struct G12NobodyIsCapturedTests {
  @Test("a dispatch makes at most 1,000 of others' deliveries; a task makes the rest, in order")
  func dispatchReturns() async {
    let store = Store()
    let order = Transcript<Int>()
    let onCaller = Shared(0)
    let caller = Shared<pthread_t?>(nil)
    let flooded = Gate()
    let inFirst = Gate()
    let delivered = Signal()
    store.onWrote { number, _ in
      if number == 0 {
        inFirst.open()
        flooded.pass()
      }
      order.write(number)
      if pthread_self() == caller.value { onCaller.change { $0 += 1 } }
      if number == 5000 { delivered.send() }
    }

    async let call: Void = onThread {
      caller.value = pthread_self()
      store.write(0)
      caller.value = nil
    }
    await onThread {
      inFirst.pass()
      for number in 1...5000 { store.write(number) }
      flooded.open()
    }
    await call
    await delivered.wait()

    #expect(order.lines == Array(0...5000))
    #expect(onCaller.value == 1 + 1000)
  }

  @Test("what a call's own deliveries cause is not limited, whatever others add")
  func ownDeliveriesAreNotLimited() async {
    let store = Store()
    let thread = Shared<pthread_t?>(nil)
    let elsewhere = Shared(0)
    store.onWrote { number, dispatch in
      if pthread_self() != thread.value { elsewhere.change { $0 += 1 } }
      if number < 10_000 { dispatch(CounterIntent.write(number + 1)) }
      if number == 5_000 { onThreads(1) { _ in for _ in 0..<1000 { store.write(20_000) } } }
    }

    await onThread {
      thread.value = pthread_self()
      store.write(1)
    }

    #expect(elsewhere.value == 0)
    #expect(store.state.value == 10_000)
  }

  @Test("one dispatch while three threads flood returns before they stop")
  func dispatchUnderAFlood() async {
    let store = Store()
    let isReturned = Shared(false)
    let floodersDone = Shared(0)
    let handled = Shared(0)
    let dispatched = Shared(0)
    let delivered = Signal()
    store.onWrote { number, _ in
      handled.change { $0 += 1 }
      if number == -1 { delivered.send() }
    }

    await onThread {
      onThreads(4) { thread in
        if thread == 0 {
          store.write(0)
          dispatched.change { $0 += 1 }
          isReturned.value = true
        } else {
          // A flood that ends only once the call has returned.
          while !isReturned.value {
            store.write(thread)
            dispatched.change { $0 += 1 }
          }
          floodersDone.change { $0 += 1 }
        }
      }
      store.write(-1)
      dispatched.change { $0 += 1 }
    }
    await delivered.wait()

    #expect(floodersDone.value == 3)
    #expect(handled.value == dispatched.value)
  }
}
