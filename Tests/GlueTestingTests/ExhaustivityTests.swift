import Glue
import GlueTesting
import Testing

@Suite("A test store that does not assert all fails")
struct ExhaustivityTests {
  @Test("for what comes back from a part that asserted all within one that does not")
  func partialExhaustivity() async {
    let messages = await failures {
      let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.withExhaustivity(.on) { await test.send(DeskIntent.work) }
      await test.finish()
    }
    #expect(messages.count == 1)
    #expect(messages.first?.contains("+ Work() (emitted, not expected)") == true)
  }

  @Test("where a closure counts on from the actual state, and says that it starts there")
  func countingOn() async {
    let messages = await failures {
      let test = TestStore(state: Counter(), reducer: counter, exhaustivity: .off)
      await test.send(CounterIntent.increment) { $0.value += 1 }
    }
    #expect(
      messages == [
        """
        CounterIntent.increment did not behave as expected.
        The state differs from the expected one (expected → actual):
          value: 2 → 1
        The closure starts from the actual state: set values, don't increment them.
        """
      ])
  }
}
