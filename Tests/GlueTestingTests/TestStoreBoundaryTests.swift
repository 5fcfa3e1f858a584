import Glue
import GlueTesting
import Testing

/// Steps after an intent that was received too late, and other limits of steps.
@Suite("A test store, at the limits of its steps")
struct TestStoreBoundaryTests {
  @Test("takes the last of several late intents")
  func lastOfLateOnes() async {
    let messages = await failures {
      let test = deskStore { _, dispatch in
        dispatch(DeskIntent.note("a"))
        dispatch(DeskIntent.open)
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
      await test.receive(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.finish()
    }
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("2 intents were not received at the end") == true)
  }

  @Test("does not take an equal intent before the one that it has sent")
  func equalBefore() async {
    let messages = await failures {
      let test = deskStore()
      test.store.dispatch(DeskIntent.note("a"))
      await test.send(DeskIntent.note("a")) { $0.notes = ["a", "a"] }
    }
    #expect(messages.count == 1)
    #expect(messages.first?.hasPrefix("1 intent was not received before `send` of") == true)
  }

  private enum Setting: Intent, Equatable { case name(String), title(String) }

  @Test("distinguishes cases of one payload")
  func casesOfOnePayload() async {
    let messages = await failures {
      let test = TestStore(state: 0, reducer: { (_: inout Int, _: Setting) in [any Effect]() })
      test.store.dispatch(Setting.title("a"))
      await test.receive(case: Setting.name)
      test.store.dispatch(Setting.title("a"))
      await test.receive(case: Setting.title)
    }
    #expect(messages.count == 1)
    #expect(messages.first?.contains(#"another intent came:\#n  Setting.title("a")"#) == true)
  }

  @Test("asserts the state alone as of the last intent that was asserted")
  func assertedState() async {
    let messages = await failures {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      test.assert { $0.notes = [] }
      #expect(test.state == Desk())
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      test.assert { $0.notes = ["a"] }
    }
    #expect(messages == [])
  }

  @Test("does not go back to the state of a late intent")
  func laterState() async {
    let messages = await failures {
      let test = deskStore()
      test.store.dispatch(DeskIntent.note("a"))
      await test.send(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      test.assert { $0.letter = .init(text: "Dear") }
      #expect(test.state == Desk(notes: ["a"], letter: .init(text: "Dear")))
    }
    #expect(messages.count == 1)
  }
}
