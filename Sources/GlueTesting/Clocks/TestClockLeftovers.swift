internal import Glue

extension TestClock {
  /// Adds a store under test with this clock.
  ///
  /// - Parameters:
  ///   - inFlight: describes its effects that wait or run, a line each.
  ///   - check: fails the test for the store's new problems, at a place.
  func add(
    inFlight: @escaping @Sendable () -> [String], check: @escaping @Sendable (Place) -> Void
  ) {
    stores.withLock { $0.append((inFlight, check)) }
  }

  /// Fails the test for what the stores under test have reported since the last step.
  func checkProblems(at place: Place) {
    for store in stores.withLock({ $0 }) { store.check(place) }
  }

  /// The handlers' work that sleeps, or that made the sleeping tasks, in the order of deadlines,
  /// for handlers of stores under test.
  var worksAsleep: [WatchedWork] {
    time.withLock { $0.sleepers }.sorted.compactMap(\.work)
  }

  /// The sleeping tasks that no store runs and no handler of a store under test has made.
  var foreignSleepers: [Sleepers.Sleeper] {
    time.withLock { $0.sleepers }.sorted.filter { !$0.isOwned && $0.work == nil }
  }

  /// The message of `run` when it has ended at its limit.
  func unendingMessage(_ deadlines: Int) -> String? {
    guard let next = time.withLock({ $0.sleepers.next() }) else { return nil }
    let inFlight = stores.withLock { $0 }.flatMap { $0.inFlight() }
    let lines = inFlight + worksAsleep.filter(\.isOver).map(\.line)
    return """
      run() has woken the tasks that wait at \(count(deadlines, "deadline")), and at \(next.offset) \
      \(sleepers == 1 ? "one waits" : "\(sleepers) wait") again\(lines.isEmpty ? "." : ":")\
      \(indented(lines))
      Advance the clock by a time instead, or have it canceled before. Work that ends later \
      needs a higher limit.
      """
  }
}
