import Glue
import ProcessSupport
import Testing

@Suite("G2: when dispatch returns, the state includes the intent", .tags(.threads), .unwatched)
struct G2ReadYourWritesTests {
  @Test("within a handler and within a subscriber, though nothing is delivered before they return")
  func withinDeliveries() {
    let store = Store()
    let transcript = Transcript<String>()
    store.onWrote { [weak store] number, dispatch in
      if number != 1 { return }
      dispatch(CounterIntent.write(2))
      transcript.write("handler reads \(store?.state.value ?? -1)")
    }
    let subscription = store.subscribe { [weak store] in
      if $0.value != 2 { return }
      store?.write(3)
      transcript.write("subscriber reads \(store?.state.value ?? -1)")
    }

    store.write(1)

    #expect(transcript.lines == ["handler reads 2", "subscriber reads 3"])
    withExtendedLifetime(subscription) {}
  }

  @Test("while another thread is stuck in a handler")
  func whileAHandlerIsStuck() async {
    let store = Store()
    let handlerEntered = Gate()
    let handlerMayLeave = Gate()
    store.onWrote { _, _ in
      handlerEntered.open()
      handlerMayLeave.pass()
    }

    async let stuck: Void = onThread { store.write(1) }
    let read = await onThread {
      handlerEntered.pass()
      store.add(41)
      return store.state.value
    }
    handlerMayLeave.open()
    await stuck

    #expect(read == 42)
  }

  @Test("when deliveries are posted and no loop runs them")
  func whileNobodyDelivers() {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let subscription = store.subscribe { _ in }
    store.add(1)
    #expect(store.state.value == 1)
    store.add(1)
    #expect(store.state.value == 2)
    withExtendedLifetime(subscription) {}
  }

  @Test("an intent that the reducer does not know changes nothing")
  func unknownIntent() {
    struct Unknown: Intent {}
    let store = Store()
    store.dispatch(Unknown())
    #expect(store.state.value == 0)
  }
}
