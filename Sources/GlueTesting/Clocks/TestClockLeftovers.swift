internal import Glue

extension TestClock {
  /// Adds a store under test with this clock.
  ///
  /// - Parameter inFlight: describes its effects that wait or run, a line each.
  func add(inFlight: @escaping @Sendable () -> [String]) {
    stores.withLock { $0.append(inFlight) }
  }

  /// The handlers' work that sleeps, or that made the sleeping tasks, in the order of deadlines,
  /// for handlers of stores under test.
  var worksAsleep: [WatchedWork] {
    time.withLock { $0.sleepers }.sorted.compactMap(\.work)
  }

  /// The message of `run` when it has ended at its limit.
  func unendingMessage(_ deadlines: Int) -> String? {
    guard let next = time.withLock({ $0.sleepers.next() }) else { return nil }
    let lines = stores.withLock { $0 }.flatMap { $0() } + worksAsleep.filter(\.isOver).map(\.line)
    return """
      run() has woken the tasks that wait at \(count(deadlines, "deadline")), and at \(next.offset) \
      \(sleepers == 1 ? "one waits" : "\(sleepers) wait") again\(lines.isEmpty ? "." : ":")\
      \(indented(lines))
      Advance the clock by a time instead, or have it canceled before. Work that ends later \
      needs a higher limit.
      """
  }
}
