import Glue
import ProcessSupport
import Testing

@Suite("G3: deliveries are made in order, one at a time", .tags(.threads), .unwatched)
struct G3DeliveryOrderTests {
  @Test("a commit's notifications come first, in order of subscription, then its effects")
  func notificationsBeforeEffects() {
    let transcript = Transcript<String>()
    let store = Store(state: Counter()) { (state, intent: CounterIntent) in
      state.value += 1
      return [CounterEffect.wrote(1), CounterEffect.wrote(2)]
    }
    store.onWrote { number, _ in transcript.write("first handler \(number)") }
    let first = store.subscribe { transcript.write("first subscriber \($0.value)") }
    store.onWrote { number, _ in transcript.write("second handler \(number)") }
    let second = store.subscribe { transcript.write("second subscriber \($0.value)") }

    store.add(1)

    #expect(
      transcript.lines == [
        "first subscriber 0", "second subscriber 0",
        "first subscriber 1", "second subscriber 1",
        "first handler 1", "second handler 1", "first handler 2", "second handler 2",
      ])
    withExtendedLifetime((first, second)) {}
  }

  @Test("a nested dispatch is delivered after all of the commit that is being delivered")
  func nestedDispatch() {
    let transcript = Transcript<String>()
    let store = Store()
    store.onWrote { number, dispatch in
      transcript.write("enter first \(number)")
      if number < 3 { dispatch(CounterIntent.write(number + 1)) }
      transcript.write("exit first \(number)")
    }
    store.onWrote { number, _ in transcript.write("second \(number)") }
    let subscription = store.subscribe(selector: \.value) { [weak store] value in
      transcript.write("enter subscriber \(value)")
      if value == 1 { store?.add(10) }
      transcript.write("exit subscriber \(value)")
    }

    store.write(1)

    #expect(
      transcript.lines == [
        "enter subscriber 0", "exit subscriber 0",
        "enter subscriber 1", "exit subscriber 1",
        "enter first 1", "exit first 1", "second 1",
        "enter subscriber 11", "exit subscriber 11",
        "enter subscriber 2", "exit subscriber 2",
        "enter first 2", "exit first 2", "second 2",
        "enter subscriber 3", "exit subscriber 3",
        "enter first 3", "exit first 3", "second 3",
      ])
    withExtendedLifetime(subscription) {}
  }

  @Test("no call of any handler or subscriber overlaps another under four dispatching threads")
  func neverConcurrent() async {
    let inside = Shared(0)
    let overlaps = Shared(0)
    let delivered = Signal()
    let enter: @Sendable () -> Void = {
      if inside.change({
        $0 += 1; return $0
      }) != 1 {
        overlaps.change { $0 += 1 }
      }
    }
    let leave: @Sendable () -> Void = { inside.change { $0 -= 1 } }
    let store = Store()
    let all = Shared(0)
    store.onWrote { _, _ in
      enter()
      leave()
    }
    let subscription = store.subscribe { _ in
      enter()
      leave()
    }
    store.onWrote { _, _ in
      if all.change({
        $0 += 1; return $0
      }) == 4000 {
        delivered.send()
      }
    }

    await onThread { onThreads(4) { _ in for number in 0..<1000 { store.write(number) } } }
    await delivered.wait()

    #expect(overlaps.value == 0)
    withExtendedLifetime(subscription) {}
  }

  @Test("a gate between unlocking and delivering holds all deliveries, no reduction, and no order")
  func gateBeforeDelivering() async {
    let mayDeliver = Gate()
    let posted = Gate()
    let store = Store(
      delivery: .custom { body in
        posted.open(); mayDeliver.pass(); body()
      })
    let transcript = Transcript<Int>()
    store.onWrote { number, _ in transcript.write(number) }

    async let first: Void = onThread { store.write(1) }
    let state = await onThread {
      posted.pass()
      store.write(2)
      return store.state.value
    }
    #expect(state == 2)
    #expect(transcript.lines == [])
    mayDeliver.open()
    await first

    #expect(transcript.lines == [1, 2])
  }

  @Test("a subscriber that comes while effects are being handled is notified after them")
  func subscribingDuringDelivery() async {
    let inHandler = Gate()
    let mayLeave = Gate()
    let transcript = Transcript<String>()
    let store = Store()
    store.onWrote { number, _ in
      if number == 1 { inHandler.open() }
      mayLeave.pass()
      transcript.write("effect of \(number)")
    }

    async let first: Void = onThread { store.write(1) }
    let subscription = await onThread {
      inHandler.pass()
      store.write(2)
      let subscription = store.subscribe { transcript.write("told \($0.value)") }
      store.write(3)
      return subscription
    }
    mayLeave.open()
    await first

    #expect(
      transcript.lines == ["effect of 1", "effect of 2", "told 2", "told 3", "effect of 3"])
    withExtendedLifetime(subscription) {}
  }
}
