internal import Dispatch
internal import Glue

/// Runs the tasks of stores one job at a time, and knows when none is left.
///
/// A task's jobs are the stretches between its suspensions. When no job is queued or running, every
/// task on this executor, its child tasks and default actors included, waits for something that is
/// not here: for a clock, or for a continuation that only somebody outside resumes. For what a job
/// resumes is queued before that job ends.
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

  /// Runs a body as a job, so that nothing that it starts runs before it has ended.
  nonisolated(nonsending) func run(_ body: @escaping @Sendable () -> Void) async {
    await Task(executorPreference: self) { body() }.value
  }

  /// Returns when no job is queued or running; called by one of these tasks, no other one.
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
