import Glue
import GlueTesting
import ProcessSupport
import Testing

/// A counter that a middleware resets two seconds after it has reached 3, as in fudux.
///
/// There a queue waits; here an asynchronous thunk does, so that the store knows of the waiting and
/// a test owns the clock.
@Suite("Walkthrough: fudux's counter", .unwatched)
struct FuduxCounterTests {
  private enum CountIntent: Intent {
    case increase, decrease, reset
  }

  private static func reduce(count: inout Int, intent: CountIntent) -> [any Effect] {
    switch intent {
    case .increase: count += 1
    case .decrease: count -= 1
    case .reset: count = 0
    }
    return []
  }

  private static func resetting(on clock: any Clock<Duration>) -> Middleware<Int> {
    { dispatch, getState in
      { next in
        { intent in
          next(intent)
          guard intent is CountIntent, getState() == 3 else { return }
          dispatch(
            AsyncThunk<Int> { dispatch, _ in
              try? await clock.sleep(for: .seconds(2))
              dispatch(CountIntent.reset)
            })
        }
      }
    }
  }

  private let clock = TestClock()
  private let store: Store<Int>

  init() {
    store = Store(
      state: 0, reducer: Self.reduce,
      middleware: [thunkMiddleware(), Self.resetting(on: clock)], clock: clock)
  }

  @Test("two seconds after it has reached 3, it is reset")
  func reset() async {
    for _ in 1...3 { store.dispatch(CountIntent.increase) }
    #expect(store.state == 3)

    await clock.advance(by: .milliseconds(1999))
    #expect(store.state == 3)
    await clock.advance(by: .milliseconds(1))
    #expect(store.state == 0)
    await store.settled()
  }

  @Test("ending the store's work ends the waiting")
  func shutdown() async {
    for _ in 1...3 { store.dispatch(CountIntent.increase) }
    await store.shutdown()
    await clock.run()
    #expect(store.state == 3)
  }

  @Test("a subscriber is notified until it unsubscribes")
  func subscribing() {
    let shown = Transcript<Int>()
    let subscription = store.subscribe { shown.write($0) }
    store.dispatch(CountIntent.increase)
    store.dispatch(CountIntent.decrease)
    subscription.cancel()
    store.dispatch(CountIntent.increase)
    #expect(shown.lines == [0, 1, 0])
  }
}
