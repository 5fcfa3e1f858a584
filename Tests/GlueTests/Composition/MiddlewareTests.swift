import Glue
import Testing
import ProcessSupport

@Suite("Middleware")
struct MiddlewareTests {
  @Test("the first one gets an intent first, and returns last")
  func order() {
    let transcript = Transcript<String>()
    let tracing = ["a", "b", "c"].map { name in
      middleware { (chain: Chain<Counter>, intent) in
        transcript.write("\(name) enters")
        chain.next(intent)
        transcript.write("\(name) exits")
      }
    }
    let store = Store(state: Counter(), reducer: counter, middleware: tracing)
    store.onWrote { number, _ in transcript.write("handled \(number)") }

    store.write(1)

    #expect(
      transcript.lines == [
        "a enters", "b enters", "c enters", "handled 1", "c exits", "b exits", "a exits",
      ])
  }

  @Test("an intent that is not passed on is not reduced")
  func suppress() {
    let store = Store { chain, intent in
      if intent as? CounterIntent != .add(1) { chain.next(intent) }
    }
    store.add(1)
    store.add(2)
    #expect(store.state.value == 2)
  }

  @Test("another intent is reduced instead")
  func replace() {
    let store = Store { chain, _ in chain.next(CounterIntent.add(10)) }
    store.add(1)
    #expect(store.state.value == 10)
  }

  @Test("several are reduced, each a commit of its own")
  func multiply() {
    let told = Transcript<Int>()
    let store = Store { chain, intent in
      for _ in 1...3 { chain.next(intent) }
    }
    let subscription = store.subscribe(selector: \.value) { told.write($0) }

    store.add(1)

    #expect(told.lines == [0, 1, 2, 3])
    withExtendedLifetime(subscription) {}
  }

  @Test("an intent that is delayed is reduced when it is passed on")
  func delay() async {
    let held = Shared<[@Sendable () -> Void]>([])
    let store = Store { chain, intent in
      held.change { $0.append { chain.next(intent) } }
    }
    store.add(1)
    store.add(2)
    #expect(store.state.value == 0)

    held.value[1]()
    #expect(store.state.value == 2)
    await onThread { held.value[0]() }
    #expect(store.state.value == 3)
  }

  @Test("getState() is the state before next, and includes the intent after it")
  func stateAroundNext() {
    let transcript = Transcript<Int>()
    let store = Store { chain, intent in
      transcript.write(chain.getState().value)
      chain.next(intent)
      transcript.write(chain.getState().value)
    }
    store.add(1)
    store.add(2)
    #expect(transcript.lines == [0, 1, 1, 3])
  }

  @Test("an intent dispatched in its body goes through the whole chain, nested in the call")
  func nesting() {
    let transcript = Transcript<String>()
    let outer = middleware { (chain: Chain<Counter>, intent) in
      transcript.write("outer \(intent)")
      chain.next(intent)
    }
    let doubling = middleware { (chain: Chain<Counter>, intent) in
      if case CounterIntent.write(let number) = intent {
        chain.dispatch(CounterIntent.add(number))
        transcript.write("added, \(chain.getState().value)")
      }
      chain.next(intent)
    }
    let store = Store(state: Counter(), reducer: counter, middleware: [outer, doubling])

    store.write(5)

    #expect(transcript.lines == ["outer write(5)", "outer add(5)", "added, 5"])
  }

  @Test("intents of handlers and subscribers go through it too")
  func deliveries() {
    let transcript = Transcript<String>()
    let store = Store { chain, intent in
      transcript.write("\(intent)")
      chain.next(intent)
    }
    store.onWrote { _, dispatch in dispatch(CounterIntent.add(1)) }
    let subscription = store.subscribe(selector: \.value) { [weak store] in
      if $0 == 6 { store?.add(2) }
    }

    store.write(5)

    #expect(transcript.lines == ["write(5)", "add(1)", "add(2)"])
    #expect(store.state.value == 8)
    withExtendedLifetime(subscription) {}
  }

  @Test("reducers of one type of intents, and of effects, may have it too")
  func typedReducers() {
    let adding: Middleware<Int> = middleware { chain, intent in
      chain.next(intent)
      chain.next(CounterIntent.add(10))
    }
    @Sendable func reduce(state: inout Int, intent: CounterIntent) -> [CounterEffect] {
      if case .add(let number) = intent { state += number }
      return [.wrote(state)]
    }
    let typed = Store(state: 0, reducer: reduce, middleware: [adding])
    let erased = Store(
      state: 0,
      reducer: { (state: inout Int, intent: any Intent) -> [any Effect] in
        if case CounterIntent.add(let number) = intent { state += number }
        return []
      }, middleware: [adding])
    let handled = Transcript<CounterEffect>()
    typed.on(CounterEffect.self) { effect, _ in handled.write(effect) }

    typed.dispatch(CounterIntent.add(1))
    erased.dispatch(CounterIntent.add(1))

    #expect(typed.state == 11)
    #expect(erased.state == 11)
    #expect(handled.lines == [.wrote(1), .wrote(11)])
  }
}
