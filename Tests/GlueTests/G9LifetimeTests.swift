import Glue
import ProcessSupport
import Testing

@Suite("G9: nothing leaks, and nothing under way is lost", .unwatched)
struct G9LifetimeTests {
  final class Handler: EffectHandler {
    let kept: Shared<DispatchFunc?>
    let held: OnDeinit

    init(keepingCallbackIn kept: Shared<DispatchFunc?>, _ held: OnDeinit) {
      self.kept = kept
      self.held = held
    }

    func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) { kept.value = dispatch }
  }

  @Test("store, handlers and subscribers are freed, though a subscription and a callback are kept")
  func everythingIsFreed() {
    let freed = Transcript<String>()
    let callback = Shared<DispatchFunc?>(nil)
    var store: Store<Counter>? = Store()
    let weakStore = Weak(object: store)
    store?.add(
      effectHandler: Handler(
        keepingCallbackIn: callback, OnDeinit { freed.write("handler") }))
    let held = Shared<OnDeinit?>(OnDeinit { freed.write("subscriber") })
    let subscription = store?.subscribe { [held = held.exchange(nil)] _ in _ = held }
    store?.write(1)
    #expect(freed.lines == [])

    store = nil

    #expect(weakStore.object == nil)
    #expect(freed.lines.sorted() == ["handler", "subscriber"])
    callback.value?(CounterIntent.add(1))
    subscription?.cancel()
  }

  @Test("the last reference is dropped in the handler of effect 1 of 2: both are delivered")
  func lastReferenceDroppedInAHandler() {
    let transcript = Transcript<String>()
    let slot = Shared(storeOfTwoEffects(transcript))
    let weakStore = Weak(object: slot.value)
    slot.value?.onWrote { number, dispatch in
      transcript.write("handled \(number)")
      if number != 1 { return }
      slot.value = nil
      dispatch(CounterIntent.add(10))
    }

    slot.value?.write(1)

    #expect(transcript.lines == ["reduced", "handled 1", "reduced", "handled 2", "handled 11"])
    #expect(weakStore.object == nil)
  }

  @Test("the last reference is dropped while a body is posted: it is delivered, and then freed")
  func lastReferenceDroppedBeforeABodyRuns() {
    let transcript = Transcript<String>()
    let pump = Pump()
    var store = storeOfTwoEffects(transcript, pump.delivery)
    let weakStore = Weak(object: store)
    store?.onWrote { number, dispatch in
      transcript.write("handled \(number)")
      if number == 1 { dispatch(CounterIntent.add(10)) }
    }
    store?.write(1)
    store = nil
    #expect(weakStore.object != nil)

    pump.run()

    #expect(transcript.lines == ["reduced", "handled 1", "reduced", "handled 2", "handled 11"])
    #expect(weakStore.object == nil)
  }

  @Test("a body that is dropped loses its deliveries and releases the store")
  func droppedBody() {
    let transcript = Transcript<String>()
    let pump = Pump()
    var store = storeOfTwoEffects(transcript, pump.delivery)
    let weakStore = Weak(object: store)
    store?.onWrote { number, _ in transcript.write("handled \(number)") }
    store?.write(1)
    store = nil

    _ = pump.next()

    #expect(transcript.lines == ["reduced"])
    #expect(weakStore.object == nil)
  }

  @Test("a body that has run does not keep the store alive")
  func bodyThatHasRun() {
    let pump = Pump()
    var store: Store? = Store(delivery: pump.delivery)
    let weakStore = Weak(object: store)
    store?.onWrote { _, _ in }
    store?.write(1)
    let body = pump.next()
    body?()
    store = nil
    #expect(weakStore.object == nil)
    body?()
  }

  @Test("a handler's deinit may use the callback that it kept")
  func callbackInDeinit() {
    final class Last: EffectHandler {
      var dispatch: DispatchFunc?
      func handle(effect: any Effect, dispatch: @escaping DispatchFunc) { self.dispatch = dispatch }
      deinit { dispatch?(CounterIntent.add(1)) }
    }
    var store: Store? = Store()
    let weakStore = Weak(object: store)
    store?.add(effectHandler: Last())
    store?.write(1)
    store = nil
    #expect(weakStore.object == nil)
  }
}

/// A store whose `write(n)` emits the effects n and n + 1, and whose `add(n)` emits n + 1.
private func storeOfTwoEffects(
  _ transcript: Transcript<String>, _ delivery: Delivery = .immediate
) -> Store<Counter>? {
  Store(
    state: Counter(),
    reducer: { (state: inout Counter, intent: CounterIntent) -> [CounterEffect] in
      transcript.write("reduced")
      switch intent {
      case .write(let number): return [.wrote(number), .wrote(number + 1)]
      case .add(let number): return [.wrote(number + 1)]
      case .ignore: return []
      }
    }, delivery: delivery)
}
