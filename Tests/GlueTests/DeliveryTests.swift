import Dispatch
import Glue
import ProcessSupport
import Testing

@Suite("Delivery: within the call, on a queue, or by any loop", .tags(.threads), .unwatched)
struct DeliveryTests {
  @Test("posted deliveries are made after the call, a subscriber's first value included")
  func postedLater() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<String>()
    store.onWrote { number, _ in transcript.write("effect \(number)") }
    let subscription = store.subscribe { transcript.write("told \($0.value)") }
    store.write(1)
    #expect(transcript.lines == [])

    pump.run()

    #expect(transcript.lines == ["told 0", "told 1", "effect 1"])
    withExtendedLifetime(subscription) {}
  }

  @Test("one body is posted at a time, and delivers what was queued when it began")
  func oneBodyAtATime() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    store.onWrote { number, dispatch in
      transcript.write(number)
      if number < 3 { dispatch(CounterIntent.write(number + 10)) }
    }
    for number in 1...3 { store.write(number) }
    #expect(pump.waiting == 1)

    pump.next()?()
    #expect(transcript.lines == [1, 2, 3])
    #expect(pump.waiting == 1)

    pump.next()?()
    #expect(transcript.lines == [1, 2, 3, 11, 12])
    #expect(pump.waiting == 0)
  }

  @Test("a body delivers all that was queued when it began, however much that is")
  func muchInOneBody() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    store.onWrote { number, dispatch in
      transcript.write(number)
      if number == 1 { dispatch(CounterIntent.write(0)) }
    }
    for number in 1...10_000 { store.write(number) }

    pump.next()?()
    #expect(transcript.lines.count == 10_000)

    pump.run()
    #expect(transcript.lines.last == 0)
  }

  @Test("nothing is posted where nothing is to be delivered")
  func nothingToDeliver() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let subscription = store.subscribe(selector: { [$0.value > 9] }, handler: { _ in })
    pump.run()
    store.add(1)
    store.write(2)
    #expect(pump.waiting == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test("running a body twice does nothing, during the first run and later")
  func runningTwice() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    let body = Shared<(@Sendable () -> Void)?>(nil)
    store.onWrote { number, _ in
      transcript.write(number)
      body.value?()
    }
    store.write(1)
    body.value = pump.next()
    body.value?()
    store.write(2)
    body.value?()
    #expect(transcript.lines == [1])
    pump.run()
    #expect(transcript.lines == [1, 2])
  }

  @Test("after a body was dropped, the next commit is delivered again")
  func afterADroppedBody() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    store.onWrote { number, _ in transcript.write(number) }
    store.write(1)
    _ = pump.next()
    store.write(2)
    pump.run()
    #expect(transcript.lines == [2])
  }

  @Test("no lock is held around the posting: it may use the store")
  func postUsesTheStore() {
    let slot = Shared<Store<Counter>?>(nil)
    let store = Store(
      delivery: .custom { body in
        if slot.value?.state.value == 1 { slot.value?.write(2) }
        body()
      })
    let transcript = Transcript<Int>()
    slot.value = store
    store.onWrote { number, _ in transcript.write(number) }
    store.write(1)
    #expect(transcript.lines == [1, 2])
    slot.value = nil
  }

  @Test("a post that waits for another thread's run of the body does not nest, chain as it may")
  func runElsewhereWhilePosting() async {
    let posting = Shared((now: 0, most: 0))
    let store = Store(
      delivery: .custom { body in
        posting.change { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
        onThreads(1) { _ in body() }
        posting.change { $0.now -= 1 }
      })
    let transcript = Transcript<Int>()
    let done = Signal()
    store.onWrote { number, dispatch in
      transcript.write(number)
      if number < 1500 { dispatch(CounterIntent.write(number + 1)) } else { done.send() }
    }

    await onThread { store.write(1) }
    await done.wait()

    #expect(transcript.lines == Array(1...1500))
    #expect(posting.value.most == 1)
  }

  @Test("a body delivers all that was queued, however many threads queued it")
  func manyThreadsOneBody() async {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let handled = Shared(0)
    store.onWrote { _, _ in handled.change { $0 += 1 } }
    await onThread { onThreads(2) { _ in for number in 0..<2000 { store.write(number) } } }
    pump.next()?()
    #expect(handled.value == 4000)
    #expect(pump.waiting == 0)
  }

  @Test(
    "a queue delivers in order and without overlap, whether serial or concurrent",
    arguments: SubscribingTests.queues.indices)
  func onAQueue(index: Int) async {
    let store = Store(delivery: .queue(SubscribingTests.queues[index]))
    let transcript = Transcript<Int>()
    let done = Signal()
    store.onWrote { number, dispatch in
      transcript.write(number)
      if number < 1000 { dispatch(CounterIntent.write(number + 1)) } else { done.send() }
    }
    store.write(1)
    await done.wait()
    #expect(transcript.lines == Array(1...1000))
  }
}
