import Glue

/// A clock on which time passes only where a task waits for it.
package final class JumpingClock: Clock {
  package struct Instant: InstantProtocol {
    var offset: Swift.Duration

    package func advanced(by duration: Swift.Duration) -> Instant {
      Instant(offset: offset + duration)
    }
    package func duration(to other: Instant) -> Swift.Duration { other.offset - offset }
    package static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Time {
    var offset = Swift.Duration.zero
    var waiting: [(until: Swift.Duration, end: AsyncStream<Void>.Continuation)] = []
  }

  private let time = Locked(Time())

  package init() {}

  package var now: Instant { Instant(offset: time.withLock { $0.offset }) }
  package var minimumResolution: Swift.Duration { .nanoseconds(1) }

  package func sleep(until deadline: Instant, tolerance: Swift.Duration?) async throws {
    if tolerance != nil { return try await wait(until: deadline) }
    let duration = max(.zero, now.duration(to: deadline))
    // Other tasks proceed meanwhile, further for longer sleeps.
    for _ in 0...min(200, Int(duration / .milliseconds(10))) {
      try Task.checkCancellation()
      await Task.yield()
    }
    let due = time.withLock { time in
      time.offset += duration
      let due = time.waiting.filter { $0.until <= time.offset }
      time.waiting.removeAll { $0.until <= time.offset }
      return due
    }
    for due in due { due.end.finish() }
  }

  /// A sleep with a tolerance ends a deadline, so no time passes for it alone.
  private func wait(until deadline: Instant) async throws {
    let (stream, end) = AsyncStream.makeStream(of: Void.self)
    time.withLock { time in
      if time.offset < deadline.offset {
        time.waiting.append((deadline.offset, end))
      } else {
        end.finish()
      }
    }
    for await _ in stream {}
    try Task.checkCancellation()
  }
}
