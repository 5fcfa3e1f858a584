import Glue
import Testing

/// The threads of these tests have a stack of 512 KiB: a frame kept for each of a million links
/// would need a hundred times as much.
@Suite("G5: chains of dispatches use constant stack")
struct G5ConstantStackTests {
  private static let length = 1_000_000

  /// Where deliveries are made: within the call, or by a loop that happens to run them inline.
  static let inline: [Delivery] = [.immediate, .custom { $0() }]

  @Test("a million links from a handler, and the store still works", arguments: inline.indices)
  func handlerChain(delivery: Int) async {
    let store = Store(delivery: Self.inline[delivery])
    store.onWrote { number, dispatch in
      if number < Self.length { dispatch(CounterIntent.write(number + 1)) }
    }

    await onThread { store.write(1) }

    #expect(store.state.value == Self.length)
    let transcript = Transcript<Int>()
    let subscription = store.subscribe(selector: \.value) { transcript.write($0) }
    store.add(1)
    #expect(transcript.lines == [Self.length, Self.length + 1])
    withExtendedLifetime(subscription) {}
  }

  @Test("a million links from a subscriber, and the store still works", arguments: inline.indices)
  func subscriberChain(delivery: Int) async {
    let store = Store(delivery: Self.inline[delivery])
    let subscription = store.subscribe(selector: \.value) { [weak store] in
      if 0 < $0, $0 < Self.length { store?.add(1) }
    }

    await onThread { store.add(1) }
    #expect(store.state.value == Self.length)

    store.add(5)
    #expect(store.state.value == Self.length + 5)
    withExtendedLifetime(subscription) {}
  }

  @Test("a million links between two stores that dispatch to one another")
  func chainAcrossStores() async {
    let one = Store()
    let other = Store()
    one.onWrote { [weak other] number, _ in if number < Self.length { other?.write(number + 1) } }
    other.onWrote { [weak one] number, _ in one?.write(number + 1) }

    await onThread { one.write(0) }

    #expect(one.state.value == Self.length)
  }

  @Test("a million effects of one commit, and a million commits queued for one delivery")
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
      store.dispatch(CounterIntent.add(Self.length))
      for _ in 0..<Self.length { store.dispatch(CounterIntent.add(1)) }
      pump.run()
    }

    #expect(handled.value == 2 * Self.length)
  }
}
