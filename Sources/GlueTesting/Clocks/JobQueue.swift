/// The jobs that could run next, and which of them does.
struct JobQueue: Sendable {
  private var jobs: [UnownedJob] = []

  /// How many at the front have been taken.
  private var takenCount = 0
  private var generator: Xorshift?

  /// Makes an empty queue.
  ///
  /// - Parameter seed: decides which one is next; without it, that is the oldest.
  init(seed: UInt64?) {
    generator = seed.map(Xorshift.init)
  }

  mutating func add(_ job: UnownedJob) {
    jobs.append(job)
  }

  /// Takes the next one.
  ///
  /// - Complexity: O(1), amortised.
  mutating func next() -> UnownedJob? {
    if takenCount == jobs.count { return nil }
    if var random = generator {
      jobs.swapAt(takenCount, .random(in: takenCount..<jobs.count, using: &random))
      generator = random
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
