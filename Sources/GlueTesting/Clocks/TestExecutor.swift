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
    var queue: JobQueue
    var isRunning = false

    /// What has run, if that is recorded, and what the tasks of effects are called.
    var ran: [String]?
    var names: [String: String] = [:]
  }

  private let jobs: Guarded<Jobs>
  private let isAtRest = Event()
  private let queue = DispatchQueue(label: "glue.testing")

  /// Makes an executor at rest.
  ///
  /// - Parameters:
  ///   - order: decides which of the jobs that could run next does.
  ///   - isRecording: whether it keeps what has run.
  init(order: JobOrder = .oldestFirst, isRecording: Bool = false) {
    jobs = Guarded(Jobs(queue: JobQueue(order: order), ran: isRecording ? [] : nil))
  }

  /// What was chosen so far, where several jobs could run next.
  var choices: [Int] { jobs.withLock { $0.queue.choices } }

  /// The tasks whose jobs have run, in order; what resumes a task that has yielded is no task.
  var transcript: [String] {
    let (ran, names) = jobs.withLock { ($0.ran ?? [], $0.names) }
    var numbers: [String: Int] = [:]
    return ran.map { task in
      if task.contains("nil") { return "a yield" }
      let number = numbers[task] ?? numbers.count + 1
      numbers[task] = number
      return names[task] ?? (number == 1 ? "the test" : "task \(number)")
    }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let begins = jobs.withLock { jobs in
      jobs.queue.add(job)
      defer { jobs.isRunning = true }
      return !jobs.isRunning
    }
    if begins { queue.async { self.run() } }
  }

  /// Runs jobs until none is queued, then lets those go on who wait for that.
  private func run() {
    while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Takes the next job, or lets those go on who wait for there being none.
  ///
  /// These are taken at the same instant: who begins to wait later waits for the end of a job that
  /// is not here yet.
  private func nextJob() -> UnownedJob? {
    let (job, resting) = jobs.withLock { jobs in
      let job = jobs.queue.next()
      if let job { jobs.ran?.append("\(job)") }
      jobs.isRunning = job != nil
      return (job, job == nil ? isAtRest.takeWaiting() : [])
    }
    for stream in resting { stream.finish() }
    return job
  }

  /// Runs a body as a job, so that nothing that it starts runs before it has ended.
  nonisolated(nonsending) func run(_ body: @escaping @Sendable () -> Void) async {
    await Task(executorPreference: self) { body() }.value
  }

  /// Returns when no job is queued or running, or when the calling task is cancelled; called by one
  /// of these tasks, no other one.
  nonisolated(nonsending) func rest() async {
    await isAtRest.wait(unless: { jobs.withLock { !$0.isRunning } })
  }
}

extension TestExecutor: EffectNoting {
  func note(_ effect: any Effect) {
    jobs.withLock { jobs in
      if let task = jobs.ran?.last { jobs.names[task] = text(of: effect) }
    }
  }
}
