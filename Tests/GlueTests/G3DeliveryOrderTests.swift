import Glue
import Testing

@Suite("G3: deliveries are made in order, one at a time")
struct G3DeliveryOrderTests {
  @Test("a commit's notifications come first, in order of subscription, then its effects")
  func notificationsBeforeEffects() {
    let transcript = Transcript<String>()
    let store = Store(state: Counter()) { (state, intent: CounterIntent) in
      state.value += 1
      return [CounterEffect.wrote(1), CounterEffect.wrote(2)]
    }
    store.onWrote { number, _ in transcript.write("first handler \(number)") }
    let first = store.subscribe { transcript.write("first subscriber \($0.value)") }
    store.onWrote { number, _ in transcript.write("second handler \(number)") }
    let second = store.subscribe { transcript.write("second subscriber \($0.value)") }

    store.add(1)

    #expect(
      transcript.lines == [
        "first subscriber 0", "second subscriber 0",
        "first subscriber 1", "second subscriber 1",
        "first handler 1", "second handler 1", "first handler 2", "second handler 2",
      ])
    withExtendedLifetime((first, second)) {}
  }
}
