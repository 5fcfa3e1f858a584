internal import Dispatch
internal import Glue
internal import GlueLogging

/// Runs the tasks of stores one job at a time, and detects when none is left.
///
/// A task's jobs are the stretches between its suspensions. A resumed job is queued before the job
/// that resumes it ends. So when no job is queued or running, every task on this executor waits for
/// an event outside: for a clock, or for a continuation that only outside code resumes. That
/// includes its child tasks and default actors.
final class TestExecutor: TaskExecutor {
  private struct Jobs {
    var queue: JobQueue
    var isRunning = false

    /// The recorded jobs, if jobs are recorded, and the names of effects' tasks.
    var ran: [String]?
    var names: [String: String] = [:]
  }

  private let jobs: Locked<Jobs>
  private let isAtRest = Event()
  private let queue = DispatchQueue(label: "glue.testing")

  /// Creates an executor at rest.
  ///
  /// - Parameters:
  ///   - order: decides which of the jobs that could run next does.
  ///   - isRecording: whether it records jobs.
  init(order: JobOrder = .oldestFirst, isRecording: Bool = false) {
    jobs = Locked(Jobs(queue: JobQueue(order: order), ran: isRecording ? [] : nil))
  }

  /// The choices so far, where several jobs could run next.
  var choices: [Int] { jobs.withLock { $0.queue.choices } }

  /// The tasks whose jobs have run, in order; the job that resumes a yielding task isn't a task.
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

  /// Runs jobs until none is queued, then resumes the tasks that wait for that.
  private func run() {
    while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
  }

  /// Takes the next job, or resumes the tasks that wait for there being none.
  ///
  /// Both happen at one instant: a task that begins to wait later waits for the end of a later job.
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

  /// Returns when no job is queued or running, or when the calling task is canceled.
  ///
  /// If a task of this executor calls it, it returns when no other job is queued or running.
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
