import Glue
import Testing

@testable import GlueTesting

@Suite("A transcript of an order")
struct TranscriptTests {
  private let ask: Reducer<Int> = { _, intent in intent is Start ? [Ask(), Ask()] : [] }
  private struct Start: Intent {}

  /// The tasks that a body runs, in their order.
  private func lines(_ body: @escaping @Sendable (TestClock) async -> Void) async throws -> [String]
  {
    let clock = TestClock(TestExecutor(isRecording: true), at: .nowhere)
    _ = try await run(body, on: clock)
    return clock.ownExecutor.transcript
  }

  @Test("names tasks by their effects, and numbers those of one name")
  func effects() async throws {
    let lines = try await lines { [ask] clock in
      let store = Store(state: 0, reducer: ask, clock: clock)
      store.on(Ask.self) { _, _ async in }
      store.dispatch(Start())
      await clock.rest()
    }
    #expect(lines == ["the test", "Ask()", "Ask() (2)", "the test"])
  }

  @Test("names tasks by the handlers of a test store, and the test store's own")
  func handlers() async throws {
    let lines = try await lines { [ask] clock in
      let test = TestStore(state: 0, reducer: ask, clock: clock)
      test.on(Ask.self) { _, _ async in }
      await test.send(Start(), effects: [Ask(), Ask()])
    }
    #expect(
      lines.filter { $0 != "the test" } == [
        "a call of the test store", "Ask() in a closure on Ask", "Ask() in a closure on Ask (2)",
      ])
  }

  @Test("names tasks by the lines that make them")
  func origins() async throws {
    let line = #line + 2
    let lines = try await lines { _ in
      async let first: Void = Task.yield()
      async let second: Void = Task.yield()
      _ = await (first, second)
      await withTaskGroup { group in group.addTask {} }
    }
    let tasks = Set(lines).subtracting(["the test", "a yield"])
    if CallStack()?.place == nil {  // This build has no debug information.
      #expect(tasks == ["a task", "a task (2)", "a task (3)"])
    } else {
      #expect(
        tasks == [
          "a task made at TranscriptTests.swift:\(line)",
          "a task made at TranscriptTests.swift:\(line + 1)",
          "a task made at TranscriptTests.swift:\(line + 3)",
        ])
    }
  }
}
