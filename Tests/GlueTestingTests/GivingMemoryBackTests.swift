import Glue
import Synchronization
import Testing

@testable import GlueTesting

/// An executor whose only job runs when the test says so.
private final class Waiting: TaskExecutor {
  let job = Mutex<UnownedJob?>(nil)

  func enqueue(_ job: consuming ExecutorJob) {
    let unowned = UnownedJob(job)
    self.job.withLock { $0 = unowned }
  }
}

@Suite("A clock gives memory back")
struct GivingMemoryBackTests {
  /// How many elements an array stores that a value keeps for itself.
  private func count<Element>(_ name: String, of value: Any, as: Element.Type) -> Int? {
    (Mirror(reflecting: value).descendant(name) as? [Element])?.count
  }

  @Test("of the jobs that have run, when more than half have")
  func jobs() async throws {
    let executor = Waiting()
    let task = Task(executorPreference: executor) {}
    let job = try #require(executor.job.withLock { $0 })
    var queue = JobQueue<UnownedJob>(order: .oldestFirst)
    for _ in 0..<10 { queue.add(job) }
    let counts = (0..<10).map { _ in
      _ = queue.next()
      return count("jobs", of: queue, as: UnownedJob.self)
    }
    #expect(counts == [10, 10, 10, 10, 10, 4, 4, 4, 1, 0])
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
    await task.value
  }

  @Test("of the sleepers that were canceled, when more than half were")
  func sleepers() throws {
    var sleepers = Sleepers()
    let numbers = (0..<10).map { seconds in
      let (_, wake) = AsyncStream<Void>.makeStream()
      return sleepers.add(
        until: TestClock.Instant(offset: .seconds(seconds)), in: nil, isOwned: true, wake: wake)
    }
    let counts = numbers.map { number in
      sleepers.remove(number)
      return (Mirror(reflecting: sleepers).descendant("queue") as? Heap<Sleepers.Sleeper>)?.count
    }
    #expect(counts == [10, 10, 10, 10, 10, 4, 4, 4, 1, 0])
  }
}
