import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing
import XCTest

/// Tests with stores that are made when the test has begun, and that XCTest keeps when it has ended.
///
/// Where the environment says so, they leave an intent behind.
final class LateStoreTests: XCTestCase {
  private var made: TestStore<Counter>!
  private lazy var lazy = TestStore(state: Counter(), reducer: counter)

  override func setUp() {
    super.setUp()
    made = TestStore(state: Counter(), reducer: counter)
  }

  private func use(_ test: TestStore<Counter>) async {
    await test.send(CounterIntent.increment) { $0.value = 1 }
    if ProcessInfo.processInfo.environment["GLUE_LEAVES"] == nil { return }
    test.store.dispatch(CounterIntent.decrement)
  }

  func testMadeInSetUp() async { await use(made) }

  func testMadeLazily() async { await use(lazy) }
}

extension ProcessTests {
  @Suite("What the first test of a process leaves behind")
  struct XCTestEndTests {
    /// Runs one test alone, as `swift test --parallel` does.
    private func run(_ name: String, leaving: Bool) throws -> PipedProgram.Result {
      let variables = leaving ? ["GLUE_LEAVES=1"] : []
      return try PipedProgram(
        "/usr/bin/env", variables + [builtTests, "GlueTestingTests.LateStoreTests/\(name)"]
      ).finish()
    }

    private var builtTests: String {
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    @Test("fails it", arguments: ["testMadeInSetUp", "testMadeLazily"])
    func fails(name: String) throws {
      let result = try run(name, leaving: true)
      #expect(result.output.contains("1 intent was not received at the end of the test"))
      #expect(result.ending == .exit(1))
    }

    @Test("is nothing in a good one", arguments: ["testMadeInSetUp", "testMadeLazily"])
    func passes(name: String) throws {
      let result = try run(name, leaving: false)
      #expect(result.output.contains("Executed 1 test, with 0 failures"))
      #expect(result.ending == .exit(0))
    }
  }
}
