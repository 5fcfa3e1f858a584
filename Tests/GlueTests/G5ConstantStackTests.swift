import Glue
import Testing

/// The threads of these tests have a stack of 512 KiB: five bytes kept for each of 100,000 links
/// would overflow it.
@Suite("G5: chains of dispatches use constant stack")
struct G5ConstantStackTests {
  private static let million = 1_000_000
  private static let many = 100_000

  @Test("a million links from a handler, and the store still works")
  func handlerChain() async {
    await expectHandlerChain(of: Self.million, delivery: .immediate)
  }

  @Test("a million links from a subscriber, and the store still works")
  func subscriberChain() async {
    await expectSubscriberChain(of: Self.million, delivery: .immediate)
  }

  @Test("100,000 links of both kinds where a custom delivery happens to run its bodies inline")
  func inlineBodies() async {
    await expectHandlerChain(of: Self.many, delivery: .custom { $0() })
    await expectSubscriberChain(of: Self.many, delivery: .custom { $0() })
  }

  @Test("100,000 links between two stores that dispatch to one another")
  func chainAcrossStores() async {
    let one = Store()
    let other = Store()
    one.onWrote { [weak other] number, _ in if number < Self.many { other?.write(number + 1) } }
    other.onWrote { [weak one] number, _ in one?.write(number + 1) }

    await onThread { one.write(0) }

    #expect(one.state.value == Self.many)
  }

  @Test("100,000 effects of one commit, and as many commits queued for one delivery")
  func longQueues() async {
    let pump = Pump()
    let store = Store(
      state: 0,
      reducer: { (state, intent: CounterIntent) in
        state += 1
        guard case .add(let count) = intent else { return [] }
        return (0..<count).map { CounterEffect.wrote($0) }
      }, delivery: pump.delivery)
    let handled = Shared(0)
    store.on(CounterEffect.self) { _, _ in handled.change { $0 += 1 } }

    await onThread {
      store.dispatch(CounterIntent.add(Self.many))
      for _ in 0..<Self.many { store.dispatch(CounterIntent.add(1)) }
      pump.run()
    }

    #expect(handled.value == 2 * Self.many)
  }
}

private func expectHandlerChain(of length: Int, delivery: Delivery) async {
  let store = Store(delivery: delivery)
  store.onWrote { number, dispatch in
    if number < length { dispatch(CounterIntent.write(number + 1)) }
  }

  await onThread { store.write(1) }

  #expect(store.state.value == length)
  let transcript = Transcript<Int>()
  let subscription = store.subscribe(selector: \.value) { transcript.write($0) }
  store.add(1)
  #expect(transcript.lines == [length, length + 1])
  withExtendedLifetime(subscription) {}
}

private func expectSubscriberChain(of length: Int, delivery: Delivery) async {
  let store = Store(delivery: delivery)
  let subscription = store.subscribe(selector: \.value) { [weak store] in
    if 0 < $0, $0 < length { store?.add(1) }
  }

  await onThread { store.add(1) }
  #expect(store.state.value == length)

  store.add(5)
  #expect(store.state.value == length + 5)
  withExtendedLifetime(subscription) {}
}
