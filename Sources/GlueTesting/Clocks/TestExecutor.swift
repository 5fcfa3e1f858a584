internal import Dispatch
internal import Glue

/// Runs the tasks of stores one job at a time, and detects when none is left.
///
/// A task's jobs are the stretches between its suspensions. A resumed job is queued before the job
/// that resumes it ends. So when no job is queued or running, every task on this executor waits for
/// an event outside: for a clock, or for a continuation that only outside code resumes. That
/// includes its child tasks and default actors.
///
/// A call that waits for what never comes is ended, and gets the ``Unrest`` that says why.
package final class TestExecutor: TaskExecutor {
  struct Jobs {
    var queue: JobQueue<UnownedJob>
    var isRunning = false

    /// The running job, and the thread that runs jobs, while one does.
    var current: UnownedJob?
    var thread: ThreadTime?

    /// How many jobs have come from other threads; the first one may be the test itself.
    var foreignCount = 0

    /// The count of events since all tasks rested last.
    var pace: Pace

    /// The calls that wait, and why they can't end, until the first of them has returned.
    var waits: [Wait] = []
    var unrest: Unrest?

    /// The last look at the calls that wait, if a next one is due, and how long they wait.
    var look: Look?
    var patience: Duration?

    /// Counts jobs, and with them calls that begin and advances of the clock.
    var jobCount = 0
    var events = 0

    /// Whether the running job never ends.
    var isBlocked = false

    /// The effects that tasks work for, by the texts of the tasks' jobs.
    var effects: [String: any Effect] = [:]

    /// The jobs that have run, if they are recorded.
    var transcript: Transcript?
  }

  let jobs: Locked<Jobs>
  let limits: Limits

  /// Whether calls end at once when all tasks rest, because nothing comes from outside.
  let endsAtRest: Bool

  /// Reports why a call of a store, by its name, can't end, with the store's effects.
  let report = Locked<(@Sendable (Unrest, String, [EffectInFlight]) -> Void)?>(nil)
  private let queue = DispatchQueue(label: "glue.testing")

  /// Creates an executor at rest.
  ///
  /// - Parameters:
  ///   - order: decides which of the jobs that could run next does.
  ///   - isRecording: whether it records jobs.
  ///   - endsAtRest: whether calls end at once when all tasks rest.
  package init(
    order: JobOrder = .oldestFirst, isRecording: Bool = false, endsAtRest: Bool = false
  ) {
    limits = Limits.current.get()
    self.endsAtRest = endsAtRest
    jobs = Locked(
      Jobs(
        queue: JobQueue(order: order), pace: Pace(limits: limits), patience: limits.patience,
        transcript: isRecording ? Transcript() : nil))
  }

  /// The choices so far, where several jobs could run next.
  package var choices: [Int] { jobs.withLock { $0.queue.choices } }

  /// The jobs that have run, a line each, if they are recorded.
  package var transcript: [String] { jobs.withLock { $0.transcript }?.lines ?? [] }

  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    noteOrigin(of: job)
    let thread = currentThread()
    let begins = jobs.withLock { jobs in
      jobs.queue.add(job)
      if jobs.thread?.number != thread { jobs.foreignCount += 1 }
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

  /// Runs a body that queues jobs of tasks at rest, none of which begins before the body has ended.
  func queueTogether(_ body: () -> Void) {
    let begins = jobs.withLock { jobs in
      defer { jobs.isRunning = true }
      return !jobs.isRunning
    }
    body()
    if begins { queue.async { self.run() } }
  }

  /// Runs jobs until none is queued, then ends the calls that wait for that.
  private func run() {
    let thread = ThreadTime()
    jobs.withLock { $0.thread = thread }
    while let job = nextJob() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    jobs.withLock { $0.thread = nil }
  }

  /// Takes the next job, or ends the calls that wait for there being none.
  ///
  /// Both happen at one instant: a task that begins to wait later waits for the end of a later job.
  private func nextJob() -> UnownedJob? {
    let (job, ended) = jobs.withLock { jobs -> (UnownedJob?, [Wait]) in
      if jobs.pace.isOver { jobs.stop() }
      jobs.isBlocked = false
      jobs.current = jobs.queue.next()
      guard let job = jobs.current else { return (nil, jobs.rest(endsAtRest)) }
      jobs.begin(job)
      return (job, [])
    }
    for wait in ended { wait.completion.complete() }
    return job
  }

  /// How many jobs have run.
  package var jobCount: Int { jobs.withLock { $0.jobCount } }

  /// Whether nothing has come from outside since its first job, so that tasks that rest do so for
  /// good.
  package var isClosed: Bool { jobs.withLock { $0.foreignCount <= 1 } }

  /// The effects whose tasks have begun and not ended, by the texts of the tasks' jobs.
  var effects: [String: any Effect] { jobs.withLock { $0.effects } }

  /// The text of the current task's job, if it is one of this executor.
  var currentTask: String? {
    let thread = currentThread()
    return jobs.withLock { jobs in
      jobs.thread?.number == thread ? jobs.current.map { "\($0)" } : nil
    }
  }

  /// How much real time may pass while nothing happens before calls that wait are ended; nil: any.
  package var patience: Duration? {
    get { jobs.withLock { $0.patience } }
    set { jobs.withLock { $0.patience = newValue } }
  }

  /// Runs a body as a job, so that nothing that it starts runs before it has ended.
  ///
  /// - Returns: why it can't end, if so.
  package nonisolated(nonsending) func run(_ body: @escaping @Sendable () -> Void) async -> Unrest?
  {
    let wait = Wait(.job)
    if !begin(wait) {
      body()
      return nil
    }
    Task(executorPreference: self) {
      self.name("a call of the test store")
      body()
      self.complete(wait)
    }
    await wait.completion.waitInAnyCase()
    return end(wait)
  }

  /// Returns when no job is queued or running, or when the calling task is canceled.
  ///
  /// If a task of this executor calls it, it returns when no other job is queued or running.
  ///
  /// - Returns: why that can't be, if so.
  package nonisolated(nonsending) func rest() async -> Unrest? {
    if Task.isCancelled { return nil }
    let wait = Wait(.rest)
    if !begin(wait) { return end(wait) }
    await wait.completion.wait()
    return end(wait)
  }
}

extension TestExecutor.Jobs {
  /// Counts a job, and notes its task if it is recorded or among the last before a limit.
  fileprivate mutating func begin(_ job: UnownedJob) {
    (events, jobCount) = (events + 1, jobCount + 1)
    pace.step()
    if transcript == nil, !pace.isNearlyOver { return }
    let task = "\(job)"
    transcript?.begin(task)
    if pace.isNearlyOver { pace.lastTasks.insert(task) }
  }

  /// Ends the calls that wait for rest; if none does and nothing comes from outside, all of them.
  fileprivate mutating func rest(_ endsAtRest: Bool) -> [Wait] {
    isRunning = false
    if unrest != nil { return endWaits() }
    pace.reset()
    let resting = waits.filter { $0.kind == .rest }
    if resting.isEmpty, endsAtRest, !waits.isEmpty { return endWaits(for: .stalled) }
    waits.removeAll { $0.kind == .rest }
    return resting
  }

  /// Stops the tasks that have gone past a limit: their jobs never run.
  fileprivate mutating func stop() {
    noteExcess()
    queue.stop()
  }
}
