import Dispatch
import Glue
import Testing

@Suite("Delivery: within the call, on a queue, or by any loop")
struct DeliveryTests {
  @Test("what is posted is delivered after the call, the first value of a subscriber included")
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

  @Test("a body may run on another thread while it is still being posted")
  func runElsewhereWhilePosting() async {
    let store = Store(delivery: .custom { body in onThreads(1) { _ in body() } })
    let transcript = Transcript<Int>()
    store.onWrote { number, dispatch in
      transcript.write(number)
      if number < 100 { dispatch(CounterIntent.write(number + 1)) }
    }
    await onThread { store.write(1) }
    #expect(transcript.lines == Array(1...100))
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
