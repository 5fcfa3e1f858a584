/// Runs tasks on the thread that calls `run()`.
///
/// After `run()` each task that was made with it as its executor preference has ended or waits for
/// something.
final class ManualExecutor: TaskExecutor {
  private let jobs = Shared<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.change { $0.append(job) }
  }

  /// Runs jobs until none is left.
  func run() {
    while let job = jobs.change({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }

  /// Runs jobs until none is left, always the one that was enqueued last.
  func runNewestFirst() {
    while let job = jobs.change({ $0.popLast() }) {
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
