import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("A test store, at its end")
struct TestStoreEndingTests {
  @Test("cancels what lasts when it finishes")
  func finishCancels() async {
    let test = writingDesk { clock, _ in
      while (try? await clock.sleep(for: .seconds(1))) != nil {}
    }
    await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
    #expect(test.clock.sleepers == 1)
    await test.finish()
    #expect(test.clock.sleepers == 0)
  }

  @Test("waits for an effect elsewhere that only its end lets return", .tags(.threads))
  func finishWaits() async {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    let test = TestStore(
      state: Desk(), reducer: desk, middleware: [thunkMiddleware()],
      lasting: { $0.letter == nil ? [] : [writing] })
    test.on(Work.self) { [clock = test.clock] _, _ async in
      await withTaskCancellationHandler {
        try? await clock.sleep(for: .seconds(1))
      } onCancel: {
        DispatchQueue.global().async { continuation.finish() }
      }
    }
    await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
    await test.send(
      AsyncThunk<Desk> { _, _ in await Task { for await _ in stream {} }.value })
    await test.finish(within: .seconds(60))
  }

  @Test("lists what was skipped in flight")
  func skippedInFlight() async {
    let test = deskStore { clock, _ in try? await clock.sleep(for: .seconds(1)) }
    await test.send(DeskIntent.work, effects: [Work()])
    await test.skipInFlight()
    #expect(test.unasserted == ["Work() of DeskIntent.work runs in a closure on Work"])
    await test.clock.run()
    await test.finish()
  }
}
