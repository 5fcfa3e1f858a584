import Glue
import ProcessSupport
import Testing

@Suite("G6: no lock is held while the user's code is called or released", .tags(.threads))
struct G6NoLockHeldTests {
  @Test(
    "a handler may block on another thread that dispatches, reads, subscribes, adds and cancels")
  func handlerBlocksOnAnotherThread() async {
    let store = Store()
    let transcript = Transcript<Int>()
    store.onWrote { [weak store] number, _ in
      guard number == 1, let store else { return }
      onThreads(1) { _ in
        store.write(2)
        let subscription = store.subscribe { transcript.write($0.value) }
        store.onWrote { _, _ in }
        subscription.cancel()
        transcript.write(store.state.value)
      }
    }

    await onThread { store.write(1) }

    #expect(transcript.lines == [2])
  }

  @Test("a subscriber may wait for a lock that a dispatching thread holds")
  func subscriberWaitsForALock() async {
    let store = Store()
    let lock = Shared(0)
    let subscriberEntered = Gate()
    let subscription = store.subscribe(selector: \.value) {
      if $0 != 1 { return }
      subscriberEntered.open()
      lock.change { $0 += 1 }
    }

    async let first: Void = onThread { store.add(1) }
    await onThread {
      lock.change { _ in
        subscriberEntered.pass()
        store.add(1)
      }
    }
    await first

    #expect(store.state.value == 2)
    withExtendedLifetime(subscription) {}
  }

  /// A value with an effect that holds something whose release uses the store.
  struct Holding: Effect { var held: OnDeinit }
  struct HoldingIntent: Intent { var held: OnDeinit }

  @Test("an effect's deinit dispatches, before the next delivery, whether it is handled or not")
  func effectThatDispatchesWhenReleased() {
    let transcript = Transcript<String>()
    let store = Store(state: 0) { (state, intent: any Intent) in
      state += 1
      guard case CounterIntent.add(let count) = intent else { return [] }
      return (0..<count).map { number in Holding(held: released("effect \(number)", transcript)) }
    }
    store.dispatch(CounterIntent.add(1))
    #expect(transcript.lines == ["effect 0 released"])

    store.on(Holding.self) { _, _ in transcript.write("handled") }
    store.dispatch(CounterIntent.add(2))
    #expect(
      transcript.lines.dropFirst() == [
        "handled", "effect 0 released", "handled", "effect 1 released",
      ])
  }

  @Test("deinits of intents and effects may use the store")
  func intentsAndEffectsThatUseTheStore() {
    let slot = Shared<Store<Int>?>(nil)
    let uses = Shared(0)
    let use: @Sendable () -> Void = {
      slot.value?.dispatch(CounterIntent.ignore)
      slot.value?.subscribe { _ in }.cancel()
      uses.change { $0 += 1 }
    }
    let store = Store(state: 0) { (state, intent: any Intent) -> [any Effect] in
      state += 1
      return intent is HoldingIntent ? [Holding(held: OnDeinit(use))] : []
    }
    slot.value = store

    store.dispatch(HoldingIntent(held: OnDeinit(use)))
    #expect(uses.value == 2, "the intent and its unhandled effect")
    store.on(Holding.self) { _, _ in }
    store.dispatch(HoldingIntent(held: OnDeinit(use)))
    #expect(uses.value == 4, "the intent and its handled effect")

    slot.value = nil
  }

  @Test("a canceled subscriber's selector is released, unlocked, by cancel()")
  func canceledSelectorIsReleased() {
    let store = Store()
    let held = Shared<OnDeinit?>(OnDeinit { [weak store] in store?.add(1) })
    let subscription = store.subscribe(
      selector: { [held = held.exchange(nil)] state in
        withExtendedLifetime(held) { state.value }
      }, handler: { _ in })

    subscription.cancel()

    #expect(store.state.value == 1)
  }

  @Test("a canceled subscriber's closure is released, unlocked, by cancel()")
  func canceledClosureIsReleased() {
    let store = Store()
    let transcript = Transcript<String>()
    let other = Shared<Subscription?>(store.subscribe { transcript.write("other \($0.value)") })
    let held = Shared<OnDeinit?>(
      OnDeinit { [weak store] in
        other.value?.cancel()
        store?.add(1)
        transcript.write("released")
      })
    let subscription = store.subscribe { [held = held.exchange(nil)] _ in _ = held }

    store.add(1)
    subscription.cancel()

    #expect(transcript.lines == ["other 0", "other 1", "released"])
    #expect(store.state.value == 2)
    withExtendedLifetime(subscription) {}
  }

  @Test(
    "a selected value's deinit dispatches, before the next delivery",
    arguments: [false, true])
  func selectedValueThatDispatchesWhenReleased(isRepeat: Bool) {
    struct Selected: Sendable, Equatable {
      var number: Int
      var held: OnDeinit
    }
    let store = Store()
    let slot = Shared<Store<Counter>?>(store)
    let transcript = Transcript<String>()
    let first = store.subscribe(
      selector: { state in
        Selected(
          number: isRepeat ? 0 : state.value,
          held: OnDeinit {
            if state.value == 0, !isRepeat { slot.value?.add(10) }
            if state.value == 1, isRepeat { slot.value?.add(10) }
            transcript.write("released \(state.value)")
          })
      }, handler: { transcript.write("told \($0.number)") })
    let second = store.subscribe(selector: \.value) { transcript.write("second \($0)") }

    store.add(1)

    let expected =
      isRepeat
      ? ["told 0", "second 0", "released 1", "released 11", "second 1", "second 11"]
      : [
        "told 0", "second 0", "told 1", "released 0", "second 1", "told 11", "released 1",
        "second 11",
      ]
    #expect(transcript.lines == expected)
    slot.value = nil
    withExtendedLifetime((first, second)) {}
  }
}

/// Something that writes when it is released.
private func released(_ name: String, _ transcript: Transcript<String>) -> OnDeinit {
  OnDeinit { transcript.write("\(name) released") }
}
