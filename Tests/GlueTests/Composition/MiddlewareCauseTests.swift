import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Causes, perform and cancellation through middleware")
struct MiddlewareCauseTests {
  @Test("intents passed on, replaced or dispatched within the call have the effect as their cause")
  func synchronous() {
    let causes = CauseRecorder()
    let store = Store(monitors: [causes]) { chain, intent in
      if intent as? CounterIntent == .add(1) { chain.dispatch(CounterIntent.ignore) }
      chain.next(intent)
      if intent as? CounterIntent == .add(1) { chain.next(CounterIntent.add(2)) }
    }
    store.onWrote { _, dispatch in dispatch(CounterIntent.add(1)) }

    store.write(1)

    #expect(
      causes.lines == [
        "write(1): outside", "ignore: effect(0, ofCommit: 1)", "add(1): effect(0, ofCommit: 1)",
        "add(2): effect(0, ofCommit: 1)",
      ])
  }

  @Test(
    "intents passed on after the call, by another thread or by this one, come from outside",
    .tags(.threads))
  func later() async {
    let causes = CauseRecorder()
    let held = Shared<[@Sendable () -> Void]>([])
    let store = Store(monitors: [causes]) { chain, intent in
      guard case CounterIntent.add(let number) = intent else { return chain.next(intent) }
      held.change {
        $0.append { number == 1 ? chain.next(intent) : chain.dispatch(CounterIntent.ignore) }
      }
    }
    store.onWrote { _, dispatch in
      dispatch(CounterIntent.add(1))
      dispatch(CounterIntent.add(2))
    }
    store.write(1)
    held.value[0]()
    await onThread { held.value[1]() }
    #expect(causes.lines == ["write(1): outside", "add(1): outside", "ignore: outside"])
  }

  @Test("intents from a task that a middleware makes come from outside, even during the call")
  func detached() async {
    let causes = CauseRecorder()
    let passedOn = Gate()
    let store = Store(monitors: [causes]) { chain, intent in
      guard case CounterIntent.add = intent else { return chain.next(intent) }
      Task {
        chain.next(intent)
        passedOn.open()
      }
      passedOn.pass()
      chain.next(CounterIntent.ignore)
    }
    store.onWrote { _, dispatch in dispatch(CounterIntent.add(1)) }
    await onThread { store.write(1) }
    #expect(
      causes.lines == [
        "write(1): outside", "add(1): outside", "ignore: effect(0, ofCommit: 1)",
      ])
  }

  @Test("intents dispatched to the store itself within the call come from outside")
  func storeItself() {
    let causes = CauseRecorder()
    let slot = Shared<Store<Counter>?>(nil)
    let store = Store(monitors: [causes]) { chain, intent in
      if intent as? CounterIntent == .add(1) { slot.value?.add(2) }
      chain.next(intent)
    }
    slot.value = store
    store.onWrote { _, dispatch in dispatch(CounterIntent.add(1)) }

    store.write(1)

    #expect(
      causes.lines == ["write(1): outside", "add(2): outside", "add(1): effect(0, ofCommit: 1)"])
    slot.value = nil
  }

  @Test("intents of a subscriber that is notified within the call come from outside")
  func subscriberWithinTheCall() async {
    let causes = CauseRecorder()
    let slot = Shared<Store<Counter>?>(nil)
    let store = Store(monitors: [causes]) { chain, intent in
      if intent as? CounterIntent == .add(1) {
        slot.value?.subscribe { [weak store = slot.value] in
          if $0.value == 1 { store?.add(2) }
        }.cancel()
      }
      chain.next(intent)
    }
    slot.value = store
    store.on(CounterEffect.self) { _, dispatch async in dispatch(CounterIntent.add(1)) }

    store.write(1)
    await store.settled()

    #expect(
      causes.lines == ["write(1): outside", "add(2): outside", "add(1): effect(0, ofCommit: 1)"])
    slot.value = nil
  }

  @Test("perform waits for what is made of the intent at once, not for what is left for later")
  func perform() async {
    let clock = ImmediateClock()
    let kept = Shared<DispatchFunc?>(nil)
    let ended = Transcript<Int>()
    let writing = middleware { (chain: Chain<Counter>, intent) in
      guard case CounterIntent.add(let number) = intent else { return chain.next(intent) }
      kept.value = chain.next
      chain.dispatch(CounterIntent.write(number))
    }
    let store = Store(state: Counter(), reducer: counter, middleware: [writing], clock: clock)
    store.on(CounterEffect.self) { effect, dispatch async in
      guard case .wrote(let number) = effect else { return }
      for _ in 0..<10 { try? await clock.sleep(for: .seconds(1)) }
      if number < 3 { dispatch(CounterIntent.add(number + 1)) }
      ended.write(number)
    }

    await store.perform(CounterIntent.add(1))

    #expect(ended.lines == [1, 2, 3])
  }

  @Test("a canceled effect's intents do not reach the middleware (G11)")
  func canceled() async {
    let passed = Transcript<String>()
    let clock = TestClock()
    let kept = Shared<DispatchFunc?>(nil)
    let tracing: Middleware<Int> = middleware { chain, intent in
      passed.write("\(intent)")
      chain.next(intent)
    }
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, intent: CounterIntent) -> [any Effect] in
        switch intent {
        case .write: return [CounterEffect.wrote(0).scheduled(.latest, id: 1)]
        case .add: state += 1
        case .ignore: return [CancelEffects(id: 1)]
        }
        return []
      }, middleware: [tracing], clock: clock)
    store.on(CounterEffect.self) { _, dispatch async in
      kept.value = dispatch
      dispatch(CounterIntent.add(1))
      try? await clock.sleep(for: .seconds(1))
      dispatch(CounterIntent.add(2))
    }
    store.dispatch(CounterIntent.write(1))
    await clock.rest()
    store.dispatch(CounterIntent.ignore)
    await clock.rest()
    kept.value?(CounterIntent.add(3))

    #expect(passed.lines == ["write(1)", "add(1)", "ignore"])
    #expect(store.state == 1)
  }
}

/// Writes down each commit's intent and cause.
final class CauseRecorder: Monitor {
  private let transcript = Transcript<String>()

  var lines: [String] { transcript.lines }

  func observe(_ commit: Commit<Counter>) {
    transcript.write("\(commit.intent): \(commit.cause)")
  }
}
