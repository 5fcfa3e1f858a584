import Dispatch
import Glue
package import Testing

/// A clock of a test's time, which jumps to the next deadline once all tasks wait.
///
/// A sleep with a tolerance is a deadline of a call: no time passes for such sleeps alone.
package final class JumpingClock: Clock, OwnedClock {
  package struct Instant: InstantProtocol {
    var offset: Swift.Duration

    package func advanced(by duration: Swift.Duration) -> Instant {
      Instant(offset: offset + duration)
    }
    package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private let time: JumpingTime

  /// When the clock was made: its time zero.
  private let start: Swift.Duration

  package init() {
    guard let time = JumpingTime.current else {
      fatalError("A test with a JumpingClock needs the trait .jumpingTime; see JumpingTime.passes.")
    }
    (self.time, start) = (time, time.now)
  }

  package var executor: any TaskExecutor { time }
  package var now: Instant { Instant(offset: time.now - start) }
  package var minimumResolution: Swift.Duration { .nanoseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    try await time.sleep(until: start + deadline.offset, passesTime: tolerance == nil)
  }
}

/// The time of one test: it passes only while each task on its executor waits, and then at once.
///
/// So no deadline passes because a machine is slow.
package final class JumpingTime: TaskExecutor {
  private struct Sleeper {
    let number: Int
    let until: Duration
    let passesTime: Bool
    let end: AsyncStream<Never>.Continuation
  }

  private struct Content {
    var now = Duration.zero

    /// How many jobs are queued or run.
    var jobs = 0
    var sleepers: [Sleeper] = []
    var lastNumber = 0
    var isOver = false

    /// Goes to the next deadline if no job is left; returns the first sleeper until it.
    mutating func jump() -> Sleeper? {
      guard jobs == 0, !isOver,
        let next = sleepers.indices.min(by: { sleepers[$0].until < sleepers[$1].until }),
        sleepers[next].until <= now || sleepers.contains(where: \.passesTime)
      else { return nil }
      now = max(now, sleepers[next].until)
      return sleepers.remove(at: next)
    }
  }

  @TaskLocal package static var current: JumpingTime?

  private let content = Locked(Content())
  private let queue: DispatchQueue

  init(onThreads: Bool) {
    queue = DispatchQueue(label: "time of a test", attributes: onThreads ? .concurrent : [])
  }

  var now: Duration { content.withLock { $0.now } }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    content.withLock { $0.jobs += 1 }
    queue.async { [self] in
      job.runSynchronously(on: asUnownedTaskExecutor())
      let next = content.withLock { content in
        content.jobs -= 1
        return content.jump()
      }
      next?.end.finish()
    }
  }

  /// Sleeps as one of the time's tasks, also if the caller isn't one.
  func sleep(until deadline: Duration, passesTime: Bool) async throws {
    try Task.checkCancellation()
    await withTaskExecutorPreference(self) {
      let (stream, end) = AsyncStream.makeStream(of: Never.self)
      let number = content.withLock { content in
        content.lastNumber += 1
        content.sleepers.append(
          Sleeper(
            number: content.lastNumber, until: deadline, passesTime: passesTime, end: end))
        return content.lastNumber
      }
      for await _ in stream {}
      content.withLock { content in content.sleepers.removeAll { $0.number == number } }
    }
    try Task.checkCancellation()
  }

  /// Runs a body in a time of its own.
  ///
  /// Tasks that are still there afterwards sleep forever.
  package static func passes(
    onThreads: Bool = false, during body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let time = JumpingTime(onThreads: onThreads)
    try await $current.withValue(time) {
      try await withTaskExecutorPreference(time) {
        defer { time.content.withLock { $0.isOver = true } }
        try await body()
      }
    }
  }
}

/// Gives each test a time of its own, on whose executor the test runs: with the tag `.threads` on
/// several threads, as programs do, and otherwise one task at a time, so that it is the same each time.
package struct JumpingTimeTrait: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await JumpingTime.passes(onThreads: test.tags.contains(.threads), during: function)
  }
}

extension Trait where Self == JumpingTimeTrait {
  package static var jumpingTime: Self { Self() }
}
