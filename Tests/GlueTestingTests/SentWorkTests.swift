import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("The work of an intent that was sent fails")
struct SentWorkTests {
  @Test("for work of one intent that has not finished")
  func unfinishedWork() async {
    let messages = await failures {
      let test = deskStore { clock, dispatch in
        dispatch(DeskIntent.schedule(.delay(.seconds(1))))
        try? await clock.sleep(for: .seconds(1))
      }
      let work = await test.send(DeskIntent.work, effects: [Work()])
      await work.finish()
      await test.skipReceived()
      await work.cancel()
      await work.finish()
      await test.finish()
    }
    #expect(messages.count == 1)
    #expect(
      messages.first?.hasPrefix(
        """
        The work of DeskIntent.work has not finished:
          Work() of DeskIntent.work runs in a closure on Work
          Work().scheduled(.delay(1.0 seconds), id: "work") of \
        DeskIntent.schedule(.delay(1.0 seconds)) waits for its time
        """) == true, "\(messages)")
  }

  @Test("not if it ends elsewhere in the time that it is given", .tags(.threads))
  func elsewhere() async {
    let messages = await failures {
      let test = deskStore { _, _ in
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        after(100) { continuation.finish() }
        await Task { for await _ in stream {} }.value
      }
      await test.send(DeskIntent.work, effects: [Work()]).finish(within: .seconds(60))
      await test.finish()
    }
    #expect(messages == [])
  }
}
