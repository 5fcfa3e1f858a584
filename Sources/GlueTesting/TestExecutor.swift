internal import Dispatch
internal import Glue

/// Runs the tasks of stores one job at a time, and knows when none is left.
///
/// A task's jobs are the stretches between its suspensions. When no job is queued or running, every
/// task on this executor, its child tasks and default actors included, waits for something that is
/// not here: for a clock, or for a continuation.
final class TestExecutor: TaskExecutor {
  private struct Jobs {
    var queued: [UnownedJob] = []
    var isRunning = false
    var order: JobOrder
    var resting: [CheckedContinuation<Void, Never>] = []
  }

  private let jobs: Guarded<Jobs>
  private let queue = DispatchQueue(label: "glue.testing")

  init(order: JobOrder) {
    jobs = Guarded(Jobs(order: order))
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let begins = jobs.withLock { jobs in
      jobs.queued.append(job)
      defer { jobs.isRunning = true }
      return !jobs.isRunning
    }
    if begins { queue.async { self.run() } }
  }

  /// Runs jobs until none is queued, then lets those go on who wait for that.
  private func run() {
    while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  private func nextJob() -> UnownedJob? {
    var resting: [CheckedContinuation<Void, Never>] = []
    let job = jobs.withLock { jobs -> UnownedJob? in
      if let index = jobs.order.next(of: jobs.queued.count) {
        return jobs.queued.remove(at: index)
      }
      swap(&jobs.resting, &resting)
      jobs.isRunning = false
      return nil
    }
    for continuation in resting { continuation.resume() }
    return job
  }

  /// Returns when no job is queued or running.
  nonisolated(nonsending) func rest() async {
    await withCheckedContinuation { continuation in
      let rests = jobs.withLock { jobs in
        if jobs.isRunning { jobs.resting.append(continuation) }
        return !jobs.isRunning
      }
      if rests { continuation.resume() }
    }
  }
}

/// Which of the queued jobs runs next.
enum JobOrder: Sendable {
  /// The oldest.
  case oldestFirst

  /// One that the seed decides.
  case seeded(Xorshift)

  mutating func next(of count: Int) -> Int? {
    if count == 0 { return nil }
    guard case .seeded(var generator) = self else { return 0 }
    defer { self = .seeded(generator) }
    return Int.random(in: 0..<count, using: &generator)
  }
}

/// A small generator of random numbers that gives the same ones for the same seed.
///
/// After George Marsaglia, "Xorshift RNGs", Journal of Statistical Software 8 (2003).
struct Xorshift: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
  }

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
