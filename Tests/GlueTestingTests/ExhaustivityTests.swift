import Glue
import Testing

@testable import GlueTesting

@Suite("A test store that does not assert all fails")
struct ExhaustivityTests {
  @Test("for what a part within it does not assert, and should")
  func partialExhaustivity() async {
    let messages = await failures {
      let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.withExhaustivity(.on) { await test.send(DeskIntent.work) }
      await test.finish()
    }
    #expect(messages.count == 2)
    #expect(messages.first?.contains("+ Work() (emitted, not expected)") == true)
    #expect(
      messages.last?.hasPrefix("1 intent was not received before the end of the part:\n") == true)
  }

  @Test("not for what came before that part, which may receive it")
  func beforeThePart() async {
    let messages = await failures {
      let test = deskStore(exhaustivity: .off) { _, dispatch in
        dispatch(DeskIntent.note("a"))
        dispatch(DeskIntent.open)
      }
      for receives in [false, true] {
        await test.send(DeskIntent.work)
        await test.withExhaustivity(.on) {
          if receives { await test.receive(DeskIntent.note("a")) { $0.notes.append("a") } }
          let notes = test.state.notes
          await test.send(DeskIntent.note("b")) { $0.notes = notes + ["b"] }
        }
        test.store.dispatch(DeskIntent.cancel)
      }
      await test.finish()
    }
    #expect(messages == [])
  }

  @Test("not for what comes back from a part that asserts all within one that does")
  func nested() async {
    let messages = await failures {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.withExhaustivity(.on) { await test.send(DeskIntent.work, effects: [Work()]) }
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.withExhaustivity(.off) {}
      await test.finish()
    }
    #expect(messages == [])
  }

  @Test("and its state is the store's")
  func newestState() async {
    let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.note("a")) }
    await test.send(DeskIntent.work)
    #expect(test.state.notes == ["a"])
    await test.skipReceived()
    test.exhaustivity = .on
    await test.send(DeskIntent.work, effects: [Work()])
    #expect(test.state.notes == ["a"])
    test.assert { $0.notes = ["a"] }
    await test.receive(case: DeskIntent.note) { state, _ in state.notes = ["a", "a"] }
    #expect(test.state.notes == ["a", "a"])
  }

  @Test("only with a warning of what is skipped, where that is asked for")
  func warnings() async {
    let failures = await FailureCollector.failures {
      let test = deskStore(exhaustivity: .off) { clock, dispatch in
        dispatch(DeskIntent.open)
        dispatch(DeskIntent.note("a"))
        try? await clock.sleep(for: .seconds(1))
      }
      test.showsSkippedAssertions = true
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      await test.send(DeskIntent.work)
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
      await test.finish()
    }
    let isWarning = failures.allSatisfy(\.isWarning)
    #expect(isWarning)
    #expect(
      failures.map(\.message) == [
        "Not asserted:\n  DeskIntent.work: emitted Work()",
        "Not asserted:\n  DeskIntent.open, from the effect Work() of DeskIntent.work",
        "Not asserted:\n  Work() of DeskIntent.work runs in a closure on Work",
      ])
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
