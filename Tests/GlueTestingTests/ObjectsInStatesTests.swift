import Glue
import Synchronization
import Testing

@testable import GlueTesting

@Suite("An object in a state under test")
struct ObjectInStateTests {
  private final class Model: Sendable {
    let count = Mutex(0)
  }

  private struct Screen: Sendable {
    var title = ""
    var models: [Model?] = [nil, Model()]
  }

  private static func count(state: inout Screen, intent: CounterIntent) -> [any Effect] {
    state.models[1]?.count.withLock { $0 += 1 }
    return []
  }

  private let blindness =
    "The state refers to an object, Model at `models[1]`: tests don't see changes in it. "
    + "Use values instead."

  @Test("is warned of once, and named where nothing seems to have changed")
  func warning() async {
    let collected = await FailureCollector.failures(of: {
      let test = TestStore(state: Screen(), reducer: Self.count)
      await test.send(CounterIntent.increment)
      expect(Self.count, from: Screen(), when: .increment) {
        $0.models[1]?.count.withLock { $0 = 7 }
      }
      expect(Self.count, from: Screen(), when: .increment) { $0.title = "a" }
    })
    #expect(collected.map(\.isWarning) == [true, false, false])
    #expect(collected[0].message == blindness)
    #expect(collected[1].message.hasSuffix("changed: leave it out.\n" + blindness))
    #expect(collected[2].message.hasSuffix(#"title: "a" → """# + "\n" + blindness))
  }

  @Test("is found wherever it is; values, functions, types and key paths are none")
  func paths() {
    struct Box<Value> { let value: Value }
    actor Worker {}
    #expect(object(in: Model()) == "Model")
    #expect(object(in: Box(value: ["a": Worker()])) == "Worker at `value[0].value`")
    #expect(object(in: Box(value: Model?.some(Model()))) == "Model at `value`")
    #expect(object(in: Box(value: \Screen.title)) == nil)
    #expect(object(in: Box(value: (1, "a", [1.5], Model.self, { 1 }))) == nil)
    #expect(object(in: Box(value: Model?.none)) == nil)
    let deep = (0..<100).reduce(Box(value: Model() as Any)) { box, _ in Box(value: box as Any) }
    #expect(object(in: deep)?.hasPrefix("Model at `value.value.") == true)
  }

  private struct Page: Sendable { let model = Model() }

  @Test("is warned of by a reducer's test too")
  func expecting() async {
    let collected = await FailureCollector.failures(of: {
      expect(
        { (_: inout Page, _: CounterIntent) in [any Effect]() }, from: Page(), when: .increment)
    })
    #expect(collected.map(\.isWarning) == [true])
    #expect(collected.first?.message.contains("Model at `model`") == true)
  }

  @Test("is written to standard error by XCTest, which has no warnings")
  func standardError() async throws {
    let result = try await #require(
      processExitsWith: .success, observing: [\.standardErrorContent]
    ) {
      Failure(message: "on purpose", place: .nowhere, isWarning: true).report(to: .xctest)
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("warning: on purpose"))
  }

  #if compiler(>=6.3)
    @Test("is a warning in Swift Testing, and fails nothing")
    func severity() async {
      let issues = await recordedIssues {
        Failure(message: "on purpose", place: .nowhere, isWarning: true).report(to: .swiftTesting)
      }
      #expect(issues.map(\.severity) == [.warning])
    }
  #endif
}
