import Dispatch
import Glue
import ProcessSupport
import Testing

@Suite("G8: subscribing, canceling and adding during delivery", .tags(.threads), .unwatched)
struct G8ChangesDuringDeliveryTests {
  /// How a subscription may end.
  enum Ending: CaseIterable {
    case cancel
    case release

    func end(_ subscription: Shared<Subscription?>) {
      switch self {
      case .cancel: subscription.value?.cancel()
      case .release: subscription.value = nil
      }
    }
  }

  @Test("a subscriber made in a subscriber gets the value of its instant, then each later commit")
  func subscribingInASubscriber() {
    let store = Store()
    let transcript = Transcript<String>()
    let inner = Shared<Subscription?>(nil)
    let outer = store.subscribe(selector: \.value) { [weak store] value in
      transcript.write("outer \(value)")
      if value != 1 { return }
      store?.add(1)
      inner.value = store?.subscribe(selector: \.value) { transcript.write("inner \($0)") }
      store?.add(1)
    }

    store.add(1)

    #expect(
      transcript.lines == ["outer 0", "outer 1", "outer 2", "inner 2", "outer 3", "inner 3"])
    withExtendedLifetime(outer) {}
  }

  @Test("a subscriber that ends itself is not called again", arguments: Ending.allCases)
  func endingItself(_ ending: Ending) {
    let store = Store()
    let transcript = Transcript<Int>()
    let subscription = Shared<Subscription?>(nil)
    subscription.value = store.subscribe(selector: \.value) { [weak store] value in
      transcript.write(value)
      if value != 1 { return }
      store?.add(1)
      ending.end(subscription)
      store?.add(1)
    }

    store.add(1)

    #expect(transcript.lines == [0, 1])
    #expect(store.state.value == 3)
  }

  @Test(
    "a subscriber ended by one before it misses even the commit that is being delivered",
    arguments: Ending.allCases)
  func endingAnother(_ ending: Ending) {
    let store = Store()
    let transcript = Transcript<Int>()
    let victim = Shared<Subscription?>(nil)
    let killer = store.subscribe(selector: \.value) { if $0 == 1 { ending.end(victim) } }
    victim.value = store.subscribe(selector: \.value) { transcript.write($0) }

    store.add(1)
    store.add(1)

    #expect(transcript.lines == [0])
    withExtendedLifetime(killer) {}
  }

  @Test(
    "no call starts after cancel() has returned on another thread, not even queued ones",
    arguments: Ending.allCases)
  func cancellingFromAnotherThread(_ ending: Ending) async {
    let store = Store()
    let transcript = Transcript<Int>()
    let inSubscriber = Gate()
    let mayLeave = Gate()
    let subscription = Shared<Subscription?>(nil)
    subscription.value = store.subscribe(selector: \.value) { value in
      transcript.write(value)
      if value != 1 { return }
      inSubscriber.open()
      mayLeave.pass()
    }

    async let first: Void = onThread { store.add(1) }
    await onThread {
      inSubscriber.pass()
      store.add(1)
      store.add(1)
      // It returns while the subscriber is still inside its first call: canceling never waits.
      ending.end(subscription)
      mayLeave.open()
    }
    await first

    #expect(transcript.lines == [0, 1])
  }

  @Test("a subscriber that was canceled before its first value is delivered never gets it")
  func cancellingBeforeTheFirstValue() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let transcript = Transcript<Int>()
    let subscription = store.subscribe(selector: \.value) { transcript.write($0) }
    subscription.cancel()
    subscription.cancel()
    pump.run()
    #expect(transcript.lines == [])
  }

  @Test("a subscription that is not kept is canceled at once")
  func notKept() {
    let store = Store()
    let transcript = Transcript<Int>()
    _ = store.subscribe(selector: \.value) { transcript.write($0) }
    store.add(1)
    #expect(transcript.lines == [0])
  }

  @Test("others stay subscribed, in order, when one among them is canceled")
  func cancellingOneOfMany() {
    let store = Store()
    let transcript = Transcript<Int>()
    let subscriptions = (0..<5).map { number in
      store.subscribe(selector: \.value) { _ in transcript.write(number) }
    }
    subscriptions[2].cancel()
    store.add(1)
    #expect(transcript.lines == [0, 1, 2, 3, 4, 0, 1, 3, 4])
    withExtendedLifetime(subscriptions) {}
  }

  @Test("a handler added in the handler of 1 while 2 is queued gets 3 only")
  func addingInAHandler() {
    let store = Store()
    let transcript = Transcript<String>()
    store.onWrote { [weak store] number, dispatch in
      transcript.write("first \(number)")
      if number != 1 { return }
      dispatch(CounterIntent.write(2))
      store?.onWrote { number, _ in transcript.write("second \(number)") }
    }

    store.write(1)
    store.write(3)

    #expect(transcript.lines == ["first 1", "first 2", "first 3", "second 3"])
  }

  @Test("subscribing, canceling and adding from four threads under a flood loses no live call")
  func changesUnderThreads() async {
    let store = Store()
    let steady = Transcript<Int>()
    let delivered = Signal()
    let subscription = store.subscribe(selector: \.value) {
      steady.write($0)
      if $0 == 4000 { delivered.send() }
    }

    await onThread {
      onThreads(4) { _ in
        for _ in 0..<1000 {
          let mine = store.subscribe(selector: \.value) { _ in }
          store.add(1)
          mine.cancel()
        }
        store.onWrote { _, _ in }
      }
    }
    await delivered.wait()

    #expect(steady.lines == Array(0...4000))
    withExtendedLifetime(subscription) {}
  }
}
