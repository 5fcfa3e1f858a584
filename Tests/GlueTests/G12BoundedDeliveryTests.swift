import Glibc
import Glue
import ProcessSupport
import Testing

@Suite("G12: a call makes a bounded number of other threads' deliveries", .tags(.threads))
struct G12BoundedDeliveryTests {
  /// Which thread delivered each number, in the order of delivery.
  typealias Deliveries = Transcript<(number: Int, thread: pthread_t)>

  /// Has a thread dispatch 0 and another, while that is being delivered, some more.
  ///
  /// - Parameters:
  ///   - last: ends the test when it is delivered.
  ///   - handle: does something more at each delivery.
  ///   - whileHeld: what another thread dispatches.
  /// - Returns: the deliveries, and the thread that dispatched 0.
  private func deliveries(
    until last: Int,
    handle: @escaping @Sendable (Int, DispatchFunc) -> Void = { _, _ in },
    whileHeld: @escaping @Sendable (Store<Counter>) -> Void
  ) async -> (all: [(number: Int, thread: pthread_t)], caller: pthread_t) {
    let store = Store()
    let deliveries = Deliveries()
    let (inFirst, mayLeave, delivered) = (Gate(), Gate(), Signal())
    store.onWrote { number, dispatch in
      if number == 0 {
        inFirst.open()
        mayLeave.pass()
      }
      deliveries.write((number, pthread_self()))
      handle(number, dispatch)
      if number == last { delivered.send() }
    }

    async let caller = onThread {
      store.write(0)
      return pthread_self()
    }
    await onThread {
      inFirst.pass()
      whileHeld(store)
      mayLeave.open()
    }
    _ = await caller
    await delivered.wait()
    return (deliveries.lines, await caller)
  }

  @Test("a dispatch makes at most 1,000 foreign deliveries; another thread continues, in order")
  func dispatchReturns() async {
    let (all, caller) = await deliveries(until: 5000) { store in
      for number in 1...5000 { store.write(number) }
    }
    #expect(all.map(\.number) == Array(0...5000))
    #expect(all.prefix(1001).allSatisfy { $0.thread == caller })
    #expect(all.dropFirst(1001).allSatisfy { $0.thread != caller })
  }

  @Test("deliveries caused by foreign ones are foreign")
  func chainOfAnother() async {
    let (all, caller) = await deliveries(
      until: 5000,
      handle: { number, dispatch in
        if 1..<5000 ~= number { dispatch(CounterIntent.write(number + 1)) }
      }, whileHeld: { $0.write(1) })
    #expect(all.map(\.number) == Array(0...5000))
    #expect(all.filter { $0.thread == caller }.count == 1001)
  }

  @Test("deliveries that a call's own deliveries cause are not limited, however many others add")
  func ownDeliveries() async {
    let (all, caller) = await deliveries(
      until: 5000,
      handle: { number, dispatch in
        if number < 5000 { dispatch(CounterIntent.write(number + 1)) }
      }, whileHeld: { store in for _ in 0..<1000 { store.write(10_000) } })
    #expect(all.count == 5001 + 1000)
    #expect(all.allSatisfy { $0.thread == caller })
  }

  @Test("the rest of the call, and what it causes, stays with the thread that takes over")
  func afterTheHandOver() async {
    let (all, caller) = await deliveries(
      until: 25_000,
      handle: { number, dispatch in
        if number == 0 { dispatch(CounterIntent.write(20_000)) }
        if 20_000..<25_000 ~= number { dispatch(CounterIntent.write(number + 1)) }
      }, whileHeld: { store in for number in 1...1001 { store.write(number) } })
    #expect(all.map(\.number) == Array(0...1001) + Array(20_000...25_000))
    #expect(Set(all.suffix(5001).map(\.thread)).count == 1)
    #expect(all.last?.thread != caller)
  }

  @Test("a call after one that ended with another thread's deliveries is limited no more by these")
  func nextCall() async {
    let store = Store()
    let (inFirst, mayLeave) = (Gate(), Gate())
    let delivered = Deliveries()
    store.onWrote { number, dispatch in
      if number == 0 {
        inFirst.open()
        mayLeave.pass()
      }
      delivered.write((number, pthread_self()))
      if 2..<5000 ~= number { dispatch(CounterIntent.write(number + 1)) }
    }

    async let caller = onThread {
      store.write(0)
      store.write(2)
      return (pthread_self(), delivered.lines.count)
    }
    await onThread {
      inFirst.pass()
      store.write(1)
      mayLeave.open()
    }
    let (thread, count) = await caller

    #expect(count == 5001)
    #expect(delivered.lines.allSatisfy { $0.thread == thread })
  }

  @Test("handlers may block there: more stores than processors wait for tasks, and all continue")
  func blockingAfterTheHandOver() async {
    await withTaskGroup { group in
      for _ in 0..<20 {
        group.addTask {
          let (all, _) = await self.deliveries(
            until: 1500,
            handle: { number, _ in
              if number != 1500 { return }
              let ran = Gate()
              Task.detached { ran.open() }
              ran.pass()
            }, whileHeld: { store in for number in 1...1500 { store.write(number) } })
          #expect(all.count == 1501)
        }
      }
    }
  }

  @Test("one dispatch under a flood by three threads returns, and nothing is lost")
  func dispatchUnderAFlood() async {
    let store = Store()
    let hasReturned = Shared(false)
    let dispatched = Shared(2)
    let handled = Shared(0)
    let delivered = Signal()
    store.onWrote { number, _ in
      handled.change { $0 += 1 }
      if number == -1 { delivered.send() }
    }

    await onThread {
      onThreads(4) { thread in
        if thread == 0 {
          store.write(0)
          hasReturned.value = true
        } else {
          let count = flood(store, until: hasReturned)
          dispatched.change { $0 += count }
        }
      }
      store.write(-1)
    }
    await delivered.wait()

    #expect(handled.value == dispatched.value)
  }
}

/// Dispatches until a call elsewhere has returned, which must happen long before the last one here.
///
/// - Returns: how many dispatches there were.
private func flood(_ store: Store<Counter>, until hasReturned: Shared<Bool>) -> Int {
  for number in 1...3_000_000 {
    if hasReturned.value { return number - 1 }
    store.write(number)
  }
  Issue.record("the call is held up by the flood")
  return 3_000_000
}
