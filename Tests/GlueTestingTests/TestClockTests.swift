import Glue
import GlueTesting
import Testing

@Suite("A test clock")
struct TestClockTests {
  struct Ping: Effect, Equatable {}
  struct Pong: Intent {}
  struct Go: Intent {}

  struct Pinging: AsyncEffectHandler {
    let clock: TestClock
    func handle(effect: Ping, dispatch: @escaping DispatchFunc) async {
      try? await clock.sleep(for: .seconds(1))
      dispatch(Pong())
    }
  }

  @Test("advancing returns when what it woke has come to rest")
  func rest() async {
    let clock = TestClock()
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, intent: any Intent) -> [any Effect] in
        if intent is Go { return [Ping().scheduled(.delay(.seconds(2)), id: 1)] }
        state += 1
        return []
      }, clock: clock)
    store.add(effectHandler: Pinging(clock: clock))
    store.dispatch(Go())
    await clock.advance(by: .milliseconds(2900))
    #expect(store.state == 0)
    await clock.advance(by: .milliseconds(100))
    #expect(store.state == 1)
    await store.settled()
    store.dispatch(Go())
    store.dispatch(Go())
    await clock.run()
    await store.settled()
    #expect(store.state == 3)
    store.dispatch(Go())
    await store.shutdown()
    #expect(clock.sleepers == 0)
  }
}
