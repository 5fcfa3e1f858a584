import Glue
import Synchronization
import Testing

@testable import GlueTesting

extension ExploreTests {
  @Test("prints a short order that still fails")
  func shortest() async throws {
    let messages = await failures { await exploreAll(20) { await self.overwritten($0) } }
    #expect(
      try #require(messages.last).split(separator: "\n").dropFirst().joined(separator: "\n") == """
        The shortest order found that still fails, in which another task than the oldest runs first 1 time:
          1. the test
          2. SearchEffect.query("old")
          3. SearchEffect.query("new")
          4. a yield
          5. a yield
          6. SearchEffect.query("new")
          7. SearchEffect.query("old")
          8. the test
        """)
  }

  @Test("finds one order in 90 and prints no more of it than needs to be another")
  func rare() async throws {
    let messages = await failures {
      await exploreAll(2000) { clock in
        if await self.steps(clock) != [2, 2, 1, 1, 0, 0] { return }
        Failure(message: "rare", place: .nowhere).report(to: .current)
      }
    }
    #expect(messages.count == 2)
    let lines = try #require(messages.last).split(separator: "\n").dropFirst(2).map {
      $0.split(separator: ". ").last
    }
    #expect(lines.filter { $0?.hasPrefix("Slot") == true }.count == 9, "three stretches of three")
    #expect(
      try #require(messages.last).contains("another task than the oldest runs first 5 times:"))
  }

  @Test("has the oldest run first where that makes no difference, before a choice that does")
  func straightened() async throws {
    let messages = await failures {
      await exploreAll(10) { clock in
        if await self.steps(clock).last == 2 { return }
        Failure(message: "last", place: .nowhere).report(to: .current)
      }
    }
    #expect(try #require(messages.last).contains("another task than the oldest runs first 1 time:"))
  }

  @Test("says so where the usual order fails too, and prints forty steps")
  func usual() async {
    let messages = await failures {
      await exploreAll(1) { clock in
        for _ in 0..<10 { _ = await self.steps(clock) }
        Failure(message: "always", place: .nowhere).report(to: .current)
      }
    }
    let lines = messages.last?.split(separator: "\n") ?? []
    #expect(
      lines.dropFirst().first
        == "No race is needed: it fails where the oldest task always runs first:")
    #expect(lines.dropFirst(2).first == "  1. the test")
    #expect(lines.count == 43)
    #expect(lines.last?.hasPrefix("  … and ") == true)
  }

  @Test("prints no order where it does not fail again")
  func irreproducible() async {
    let count = Mutex(0)
    let messages = await failures {
      await exploreAll(1) { _ in
        let isFirst = count.withLock { count in
          count += 1
          return count == 1
        }
        if isFirst { Failure(message: "once", place: .nowhere).report(to: .current) }
      }
    }
    #expect(messages == ["once", "explore failed with seed 0; GLUE_SEED=0 runs it again."])
    #expect(count.withLock { $0 } == 2)
  }

  /// Fails if the second of the fourth pair of tasks runs first, of 150 pairs that run one after the
  /// other.
  private static func fourthPair(_ clock: TestClock) async {
    for pair in 0..<150 {
      let first = await withTaskGroup { group in
        for number in 0..<2 { group.addTask { number } }
        return await group.next()
      }
      if pair == 3, first == 1 {
        Failure(message: "fourth pair", place: .nowhere).report(to: .current)
      }
    }
  }

  @Test("cuts an order of many choices, and straightens those before the decisive one")
  func long() async throws {
    let executor = TestExecutor(order: .chosen(Array(repeating: 1, count: 1_000)[...]))
    let clock = TestClock(executor, at: .nowhere)
    let messages = await failures {
      _ = try? await run(Self.fourthPair, on: clock)
    }
    #expect(messages.count == 1)
    #expect(executor.choices.count > 200)
    var search = OrderSearch(
      framework: .swiftTesting, body: Self.fourthPair, executor, unrest: nil)
    let order = await search.shortestOrder()
    #expect(order.contains("another task than the oldest runs first 1 time:"), "\(order)")
  }
}
