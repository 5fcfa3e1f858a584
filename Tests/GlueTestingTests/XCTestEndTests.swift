import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing
import XCTest

/// Leaves an intent behind, where the environment says so.
private func use(_ test: TestStore<Counter>) async {
  await test.send(CounterIntent.increment) { $0.value = 1 }
  if leaves { test.store.dispatch(CounterIntent.decrement) }
}

/// A test with a store that is there before the first test begins.
final class KeptStoreTests: XCTestCase {
  private let kept = TestStore(state: Counter(), reducer: counter)

  func testKept() async { await use(kept) }
}

/// Tests with stores that are made when the test has begun, and that XCTest keeps when it has ended.
final class LateStoreTests: XCTestCase {
  private var made: TestStore<Counter>!
  private lazy var lazy = TestStore(state: Counter(), reducer: counter)

  override func setUp() {
    super.setUp()
    made = TestStore(state: Counter(), reducer: counter)
  }

  func testMadeInSetUp() async { await use(made) }

  func testMadeLazily() async { await use(lazy) }
}

private let leaves = ProcessInfo.processInfo.environment["GLUE_LEAVES"] != nil

/// A test of many orders, which fails where the environment says so.
final class ExploringTests: XCTestCase {
  func testOrders() async {
    await explore(seeds: 2) { _ in if leaves { XCTFail("on purpose") } }
  }
}

/// Tests that end in their `tearDown`, and leave an intent there where the environment says so.
final class TearDownTests: XCTestCase {
  private let test = TestStore(state: Desk(), reducer: desk)

  override func tearDown() async throws {
    await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
    await test.store.shutdown()
    await test.finish()
    if leaves { test.store.dispatch(DeskIntent.note("b")) }
    try await super.tearDown()
  }

  func testThatIsReceivedInTearDown() async {
    test.on(Work.self) { [clock = test.clock] _, dispatch async in
      dispatch(DeskIntent.note("a"))
      try? await clock.sleep(for: .seconds(1))
    }
    await test.send(DeskIntent.work, effects: [Work()])
  }
}

extension ProcessTests {
  @Suite("Leftovers of an XCTest test")
  struct XCTestEndTests {
    /// Runs some tests alone, as `swift test --parallel` does.
    private func run(_ name: String, leaving: Bool) throws -> PipedProgram.Result {
      let variables = leaving ? ["GLUE_LEAVES=1"] : []
      return try PipedProgram(
        "/usr/bin/env", variables + [builtTests, "GlueTestingTests.\(name)"]
      ).finish()
    }

    private var builtTests: String {
      Bundle.main.executablePath ?? CommandLine.arguments[0]
    }

    private static let names = [
      "KeptStoreTests/testKept", "LateStoreTests/testMadeInSetUp", "LateStoreTests/testMadeLazily",
      "TearDownTests/testThatIsReceivedInTearDown",
    ]

    @Test("fails, and names it and its store", arguments: names)
    func fails(name: String) throws {
      let result = try run(name, leaving: true)
      let test = name.replacing("/", with: ".")
      let message =
        "error: LeftBehind.\(test) : failed - 1 intent was not received at the end of the test:"
      #expect(result.output.contains(message), "\(result.output)")
      #expect(result.output.contains("Executed 2 tests, with 1 failure (0 unexpected)"))
      #expect(result.ending == .exit(1))
    }

    @Test("is nothing in a good one", arguments: names)
    func passes(name: String) throws {
      let result = try run(name, leaving: false)
      #expect(result.output.contains("Executed 1 test, with 0 failures"), "\(result.output)")
      #expect(result.ending == .exit(0))
    }

    @Test("fails each test once, and no later one")
    func failsOnce() throws {
      let result = try run("LateStoreTests", leaving: true)
      #expect(result.output.contains("Executed 4 tests, with 2 failures"), "\(result.output)")
      #expect(result.ending == .exit(1))
    }

    @Test("an exploration names the seed with which it fails, and the tasks in their order")
    func exploration() throws {
      let result = try run("ExploringTests/testOrders", leaving: true)
      #expect(result.output.contains("failed - on purpose"))
      #expect(result.output.contains("failed - explore failed with seed 0; GLUE_SEED=0 runs it"))
      #expect(result.output.contains("oldest task always runs first:\n  1. the test"))
      #expect(result.output.contains("Executed 1 test, with 2 failures"), "\(result.output)")
      let good = try run("ExploringTests/testOrders", leaving: false)
      #expect(good.output.contains("Executed 1 test, with 0 failures"), "\(good.output)")
    }
  }
}
