/// The jobs that could run next, and the choice among them.
package struct JobQueue<Job: Sendable>: Sendable {
  private var jobs: [Job] = []

  /// How many at the front have been taken.
  private var takenCount = 0
  private var order: JobOrder

  /// The choices so far, where there were several jobs.
  package private(set) var choices: [Int] = []

  package var isEmpty: Bool { takenCount == jobs.count }

  /// Creates an empty queue.
  ///
  /// - Parameter order: decides which job is next.
  package init(order: JobOrder) {
    self.order = order
  }

  package mutating func add(_ job: Job) {
    jobs.append(job)
  }

  /// Removes all jobs, which never run.
  mutating func stop() { (jobs, takenCount) = ([], 0) }

  /// Takes the next job.
  ///
  /// - Complexity: O(1), amortized.
  package mutating func next() -> Job? {
    if takenCount == jobs.count { return nil }
    let count = jobs.count - takenCount
    if count > 1, order.isRecorded {
      let choice = order.next(below: count)
      choices.append(choice)
      jobs.swapAt(takenCount, takenCount + choice)
    }
    let job = jobs[takenCount]
    takenCount += 1
    if takenCount * 2 > jobs.count {
      jobs.removeFirst(takenCount)
      takenCount = 0
    }
    return job
  }
}

/// Decides which of the jobs that could run next does.
package enum JobOrder: Sendable {
  case oldestFirst
  case random(Xorshift)

  /// As chosen before, then the oldest first.
  case chosen(ArraySlice<Int>)

  var isRecorded: Bool {
    if case .oldestFirst = self { false } else { true }
  }

  mutating func next(below count: Int) -> Int {
    switch self {
    case .oldestFirst: return 0
    case .random(var generator):
      defer { self = .random(generator) }
      return .random(in: 0..<count, using: &generator)
    case .chosen(var choices):
      defer { self = .chosen(choices) }
      return min(choices.popFirst() ?? 0, count - 1)
    }
  }
}
