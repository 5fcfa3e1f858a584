import Glue
import GlueTesting
import Testing

@Suite("A test store that receives an intent too late fails")
struct ReceivingLateTests {
  @Test("once for an intent that is received too late")
  func receivedTooLate() async {
    let messages = await failures {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.send(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    }
    #expect(messages.count == 1)
    #expect(messages[0].hasPrefix("1 intent was not received before `send` of DeskIntent.open:"))
  }

  @Test("and continues from its state")
  func state() async {
    let messages = await failures {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
      test.assert { $0.notes = ["a"] }
    }
    #expect(messages.count == 1)
  }

  @Test("again for what comes after an intent that is received too late, or is another one")
  func afterReceivedTooLate() async {
    let messages = await failures {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.note("b")) { $0.notes = ["b"] }
      await test.receive(DeskIntent.open)
      await test.finish()
    }
    #expect(messages.count == 3, "\(messages)")
    #expect(messages.last?.contains("but no intent came") == true)
  }
}
