import Glue
import GlueTesting
import Testing

@Suite("A test store fails")
struct LastingEffectsInTestsTests {
  @Test("with what lasts, where no intent comes")
  func lasting() async {
    let messages = await failures {
      let test = writingDesk { clock, _ in
        while (try? await clock.sleep(for: .seconds(1))) != nil {}
      }
      await test.receive(DeskIntent.open)
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await test.receive(DeskIntent.note("a"))
      await test.finish()
    }
    #expect(
      messages == [
        """
        Expected to receive DeskIntent.open, but no intent came. No effect is in flight that could \
        send one, nor does one last.
        """,
        """
        Expected to receive DeskIntent.note("a"), but no intent came. No effect is in flight that \
        could send one, but these last:
          Work() in a closure on Work
        Advance the clock, or give real time: `receive(…, within: .seconds(1))`.
        """,
      ])
  }

  @Test(
    "for what lasts from the first state on, before it fails for a step", arguments: [false, true])
  func startFirst(receives: Bool) async {
    let messages = await failures {
      let test = TestStore(state: Desk(), reducer: desk, lasting: { _ in [writing] })
      if receives { await test.receive(DeskIntent.open) } else { await test.send(DeskIntent.open) }
      await test.finish()
    }
    #expect(messages.count == 2)
    #expect(
      messages.first == """
        The first state's lasting effects are not those of `began:`.
        The effects that begin to last are others than expected:
          + Work(), id "letter" (begun, not expected)
        """)
  }

  @Test("not for what lasts from the first state on where not all is asserted, but lists it")
  func startUnasserted() async {
    let messages = await failures {
      let test = TestStore(
        state: Desk(), reducer: desk, lasting: { _ in [writing] }, exhaustivity: .off)
      await test.send(DeskIntent.note("a"))
      #expect(test.unasserted.first == #"began to last: Work(), id "letter""#)
    }
    #expect(messages == [])
  }
}
