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

    /// The jobs that have run, if they are recorded.
    var transcript: Transcript?
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
    jobs = Locked(Jobs(queue: JobQueue(order: order), transcript: isRecording ? Transcript() : nil))
  }

  /// The choices so far, where several jobs could run next.
  var choices: [Int] { jobs.withLock { $0.queue.choices } }

  /// The jobs that have run, a line each, if they are recorded.
  var transcript: [String] { jobs.withLock { $0.transcript }?.lines ?? [] }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    noteOrigin(of: job)
    let begins = jobs.withLock { jobs in
      jobs.queue.add(job)
      defer { jobs.isRunning = true }
      return !jobs.isRunning
    }
    if begins { queue.async { self.run() } }
  }

  /// Records where a task is made: by a caller of this function, if the job is its first one.
  private func noteOrigin(of job: UnownedJob) {
    let isNew = jobs.withLock { $0.transcript?.isNew("\(job)") ?? false }
    if !isNew { return }
    let origin = CallStack()
    jobs.withLock { $0.transcript?.add("\(job)", from: origin) }
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
      if let job { jobs.transcript?.begin("\(job)") }
      jobs.isRunning = job != nil
      return (job, job == nil ? isAtRest.takeWaiting() : [])
    }
    for stream in resting { stream.finish() }
    return job
  }

  /// Runs a body as a job, so that nothing that it starts runs before it has ended.
  nonisolated(nonsending) func run(_ body: @escaping @Sendable () -> Void) async {
    await Task(executorPreference: self) {
      self.name("a call of the test store")
      body()
    }.value
  }

  /// Returns when no job is queued or running, or when the calling task is canceled.
  ///
  /// If a task of this executor calls it, it returns when no other job is queued or running.
  nonisolated(nonsending) func rest() async {
    await isAtRest.wait(unless: { jobs.withLock { !$0.isRunning } })
  }
}

extension TestExecutor: EffectNoting {
  func note(_ effect: any Effect) { name(text(of: effect)) }

  /// Names the current task for the transcript.
  func name(_ text: @autoclosure () -> String) {
    jobs.withLock { $0.transcript?.name(text()) }
  }
}
