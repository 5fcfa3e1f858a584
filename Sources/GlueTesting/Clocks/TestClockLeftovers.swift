internal import Glue

/// A store under test, as its clock knows it.
struct StoreOnClock: Sendable {
  let watch: TaskWatch
  let place: Place

  /// Describes the effects that wait or run, a line each, and those that last.
  let inFlight: @Sendable () -> [String]

  /// Fails the test for the store's new problems, at a place.
  let check: @Sendable (Place) -> Void
}

extension TestClock {
  /// Adds a store under test with this clock.
  func add(_ store: StoreOnClock) {
    stores.withLock { $0.append(store) }
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
    var lines = linesOfStores + worksAsleep.filter(\.isOver).map(\.line)
    if lines.isEmpty { lines = linesOfTasks }
    return """
      run() has woken the tasks that wait at \(count(deadlines, "deadline")), and at \(next.offset) \
      \(sleepers == 1 ? "one waits" : "\(sleepers) wait") again\(lines.isEmpty ? "." : ":")\
      \(indented(lines))
      Advance the clock by a time instead, or have it canceled before. Work that ends later \
      needs a higher limit.
      """
  }

  private var linesOfStores: [String] { stores.withLock { $0 }.flatMap { $0.inFlight() } }

  /// The effects whose tasks have begun, and the sleeping tasks of none, a line each.
  var linesOfTasks: [String] {
    let sleepers = time.withLock { $0.sleepers }.sorted
    let effects = ownExecutor.effects
    let tasks = effects.sorted { $0.key < $1.key }.map { task, effect in
      let sleeper = sleepers.first { $0.task == task }
      return text(of: effect) + (sleeper.map { " sleeps until \($0.deadline.offset)" } ?? " waits")
    }
    let others = sleepers.filter { $0.task.map { effects[$0] == nil } ?? true }
    return tasks + others.map { "a task sleeps until \($0.deadline.offset)" }
  }

  /// Fails the test, because a call can't end.
  ///
  /// - Parameters:
  ///   - unrest: why.
  ///   - call: the call.
  ///   - unended: describes what it waits for, if that is known of no store under test.
  ///   - place: where; the one that has made the first store under test, or the clock, if nil.
  func fail(
    for unrest: Unrest, in call: String, _ unended: [String] = [], at place: Place? = nil
  ) {
    let place = place ?? stores.withLock { $0.first?.place } ?? self.place
    Failure(message: message(for: unrest, in: call, unended), place: place).report(to: .current)
  }

  func message(for unrest: Unrest, in call: String, _ unended: [String] = []) -> String {
    unrest.message(in: call, on: ownExecutor, waiting: lines(for: unrest, unended))
  }

  private func lines(for unrest: Unrest, _ unended: [String]) -> [String] {
    if case .endless(_, let effects) = unrest { return Set(effects.map(line)).sorted() }
    let known = [linesOfStores, unended, linesOfTasks]
    return known.first { !$0.isEmpty } ?? []
  }

  /// An effect with its handler, if that is one of a store under test.
  private func line(for effect: any Effect) -> String {
    let works = stores.withLock { $0 }.flatMap(\.watch.works)
    let handler = works.first { isSame($0.effect, effect) }?.handler
    return text(of: effect) + (handler.map { " in \($0)" } ?? "")
  }
}
