internal import Glue

/// The tasks that wait for a clock, by their deadlines.
struct Sleepers: Sendable {
  struct Sleeper: Comparable, Sendable {
    let number: Int
    let deadline: TestClock.Instant

    /// The handler's work that sleeps, or that made the sleeping task.
    let work: WatchedWork?

    /// Whether it is a task of the clock's executor: of a store, or of an exploration.
    let isOwned: Bool

    /// The text of the task's job, if it is one of the clock's executor.
    let task: String?
    let wake: AsyncStream<Void>.Continuation

    static func < (a: Sleeper, b: Sleeper) -> Bool {
      (a.deadline, a.number) < (b.deadline, b.number)
    }

    static func == (a: Sleeper, b: Sleeper) -> Bool { a.number == b.number }
  }

  /// All sleepers, including some that were removed.
  private var queue = Heap<Sleeper>()
  private var present: Set<Int> = []
  private var lastNumber = 0

  var count: Int { present.count }

  /// All sleepers by their deadlines; of one deadline, the one that came first.
  var sorted: [Sleeper] { queue.unordered.filter { present.contains($0.number) }.sorted() }

  /// Adds a sleeper and returns its number.
  ///
  /// - Complexity: O(log *n*).
  mutating func add(
    until deadline: TestClock.Instant, in work: WatchedWork?, isOwned: Bool,
    of task: String? = nil,
    wake: AsyncStream<Void>.Continuation
  ) -> Int {
    lastNumber += 1
    queue.insert(
      Sleeper(
        number: lastNumber, deadline: deadline, work: work, isOwned: isOwned, task: task,
        wake: wake))
    present.insert(lastNumber)
    return lastNumber
  }

  /// Removes a sleeper, if it is there.
  ///
  /// - Complexity: O(log *n*), amortized: at most half of those kept were removed.
  mutating func remove(_ number: Int) {
    if present.remove(number) == nil || queue.count <= 2 * present.count { return }
    let others = queue.unordered.filter { present.contains($0.number) }
    queue = Heap()
    others.forEach { queue.insert($0) }
  }

  /// The earliest deadline.
  mutating func next() -> TestClock.Instant? {
    while let first = queue.first, !present.contains(first.number) { _ = queue.popFirst() }
    return queue.first?.deadline
  }

  /// Removes the sleepers with this deadline, which is the earliest, in order; returns what wakes
  /// them.
  mutating func removeAll(at deadline: TestClock.Instant) -> [AsyncStream<Void>.Continuation] {
    var removed: [AsyncStream<Void>.Continuation] = []
    while next() == deadline, let sleeper = queue.popFirst() {
      present.remove(sleeper.number)
      removed.append(sleeper.wake)
    }
    return removed
  }
}
