import Dispatch
import Glue
import Synchronization
import Testing

@testable import GlueTesting

/// A gate whose waiter sleeps if it comes after the opening: a lost wake-up.
private final class Gate: Sendable {
  private let waiting = Mutex<[UnsafeContinuation<Void, Never>]>([])

  func wait() async {
    await withUnsafeContinuation { continuation in
      waiting.withLock { $0.append(continuation) }
    }
  }

  func open() {
    for continuation in waiting.withLock({ $0 }) { continuation.resume() }
  }
}

/// Two tasks, of which one is the first to end.
private final class Race: Sendable {
  private let winner = Mutex(0)

  var isWonBySecond: Bool { winner.withLock { $0 == 2 } }

  func run() async {
    winner.withLock { $0 = 0 }
    async let first: Void = end(1)
    async let second: Void = end(2)
    _ = await (first, second)
  }

  private func end(_ number: Int) async { winner.withLock { if $0 == 0 { $0 = number } } }
}

/// Runs a body on another thread.
private func runOutside(_ body: @escaping @Sendable () -> Void) {
  let end = DispatchSemaphore(value: 0)
  DispatchQueue.global().async {
    body()
    end.signal()
  }
  end.wait()
}

extension ExploreTests {
  private func meet(_ clock: TestClock) async {
    let gate = Gate()
    async let waiting: Void = gate.wait()
    async let opening: Void = gate.open()
    _ = await (waiting, opening)
  }

  @Test("finds a lost wake-up, and prints a short order of it")
  func lostWakeUp() async throws {
    let messages = await failuresAtLimits { await exploreAll(20) { await self.meet($0) } }
    #expect(messages.count == 1)
    let message = try #require(messages.first)
    #expect(message.hasPrefix("explore can't end: the tasks of the clock rest"), "\(message)")
    #expect(message.contains("runs it again."), "\(message)")
    #expect(
      message.contains("in which another task than the oldest runs first 1 time:"), "\(message)")
  }

  @Test("ends the call of a store that waits for the clock, and the body, once")
  func performing() async throws {
    let messages = await failuresAtLimits {
      await exploreAll(20) { clock in
        let store = Store(state: Desk(), reducer: desk, clock: clock)
        await store.perform(DeskIntent.schedule(.delay(.seconds(1))))
      }
    }
    #expect(messages.count == 2, "\(messages)")
    #expect(messages[0].contains("`perform(_:)` can't end"))
    #expect(messages[0].contains("\n  Work() waits for its time\n"))
    #expect(messages[1].hasPrefix("explore failed with seed 0; GLUE_SEED=0 runs it again."))
  }

  @Test("doesn't count an order in which the body never ends as one in which it fails")
  func otherFailure() async throws {
    struct Second: Error {}
    let race = Race()
    var seed: UInt64 = 0
    while !race.isWonBySecond, seed < 100 {
      seed += 1
      await explore(replaying: seed) { _ in await race.run() }
    }
    try #require(race.isWonBySecond)
    let messages = await failuresAtLimits {
      await explore(replaying: seed) { _ in
        await race.run()
        if race.isWonBySecond { throw Second() }
        while true { await Task.yield() }
      }
    }
    #expect(messages.count == 2, "\(messages)")
    #expect(messages.first == "The body threw an error: Second()")
    #expect(
      messages.last?.contains("in which another task than the oldest runs first") == true,
      "\(messages)")
  }

  @Test("says what tasks wait for, and prints what ran, where work outside could end a body")
  func outside() async throws {
    let messages = await failuresAtLimits {
      await exploreAll(3) { clock in
        runOutside { Task(executorPreference: clock.executor) {} }
        let store = Store(state: Desk(), reducer: desk, clock: clock)
        store.on(Work.self) { _, _ async in try? await clock.sleep(for: .seconds(1)) }
        store.dispatch(DeskIntent.work)
        await EndingTests.wait()
        withExtendedLifetime(store) {}
      }
    }
    #expect(messages.count == 1)
    let message = try #require(messages.first)
    #expect(message.contains("\n  Work() sleeps until 1.0 seconds\n"), "\(message)")
    #expect(message.contains(":\n  1. the test\n"), "\(message)")
  }

  @Test("ends a body that polls, and cancels a body that it ends")
  func polling() async {
    let isCanceled = Mutex(false)
    let messages = await failuresAtLimits {
      await exploreAll(3) { _ in while true { await Task.yield() } }
      await exploreAll(3) { clock in
        try? await clock.sleep(for: .seconds(1))
        isCanceled.withLock { $0 = Task.isCancelled }
        await EndingTests.wait()
      }
    }
    #expect(messages.count == 2, "\(messages)")
    #expect(messages.first?.contains("they have run 2000 jobs") == true)
    #expect(messages.last?.contains("\n  a task sleeps until 1.0 seconds\n") == true)
    #expect(isCanceled.withLock { $0 })
  }

  @Test("passes its cancellation on to the body")
  func canceled() async {
    let messages = await failures {
      await withTaskGroup { group in
        group.addTask {
          await self.exploreAll(1) { clock in try await clock.sleep(for: .seconds(1)) }
        }
        group.cancelAll()
      }
    }
    #expect(messages.first == "The body threw an error: CancellationError()", "\(messages)")
  }
}
