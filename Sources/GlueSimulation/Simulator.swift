internal import Dispatch
internal import Foundation
internal import Glue
internal import GlueSimulationOutput
internal import GlueTesting

/// Runs everything in a simulation on one thread, one step at a time, in virtual time.
///
/// A step is a job of a task, or a body that a queue or an alarm runs. The seed decides which of the
/// steps that could run next does. Time passes when none can.
///
/// `@unchecked Sendable` is sound because the lock guards `content`, the simulation's thread alone uses
/// `printed`, `chance` and the stacks, and `beforeStep` is set before that starts.
final class Simulator: @unchecked Sendable {
  struct Step: Sendable {
    enum Work: Sendable {
      case job(UnownedJob, on: (any TaskExecutor)?)
      case mainActorJob
      case body(@Sendable () -> Void)
    }

    /// The process that the step belongs to; nil for the world itself.
    let process: SimulatedProcess?
    let work: Work
  }

  struct Alarm: Sendable {
    let number: Int
    let deadline: Duration
    let step: Step
  }

  struct Content: Sendable {
    var now = Duration.zero
    var ready: JobQueue<Step>

    /// The latest first.
    var alarms: [Alarm] = []
    var lastAlarm = 0

    /// The processes of tasks without an executor of their own, by the texts of their jobs.
    var owners: [String: SimulatedProcess?] = [:]

    /// How often work has come from other threads, by the name of the process.
    var foreign: [String: Int] = [:]
    var hasBegun = false

    /// The process whose step runs, whether one runs, and how many have run.
    var current: SimulatedProcess?
    var isRunning = false
    var steps = 0
    var isOver = false
    var problem: String?

    /// Gets the problem, at the end.
    var ended: (@Sendable (String?) -> Void)?
  }

  private let content: Locked<Content>
  private let limits: World.Limits
  private let arrival = DispatchSemaphore(value: 0)
  private let strays = StrayTasks()

  /// The main actor of all processes.
  let mainActor = SimulatedMainActor()

  /// May crash the process of the next step.
  var beforeStep: (@Sendable (SimulatedProcess) -> Void)?

  /// Decides the numbers that a step takes from the system.
  fileprivate var chance: Xorshift

  /// The stack of the thread's signal handler, because an overflow leaves none on its own.
  private var signalStack: UnsafeMutableRawPointer?

  /// About where the thread's own stack ends.
  private(set) var stackEnd: UInt = 0

  /// The text that the current step has printed to standard error.
  var printed: [UInt8] = []

  init(seed: UInt64, isOldestFirst: Bool, limits: World.Limits) {
    let order = isOldestFirst ? JobOrder.oldestFirst : .random(Xorshift(seed: seed))
    content = Locked(Content(ready: JobQueue(order: order)))
    self.limits = limits
    chance = Xorshift(seed: seed ^ 0x5EED)
    strays.simulator = self
    mainActor.simulator = self
  }

  var now: Duration { content.withLock { $0.now } }
  var steps: Int { content.withLock { $0.steps } }

  /// The process whose step runs.
  var current: SimulatedProcess? { content.withLock { $0.current } }
  var foreign: [String: Int] { content.withLock { $0.foreign } }

  /// Lets time pass within a step, as a call that blocks does.
  func pass(_ time: Duration) { content.withLock { $0.now += time } }
}

// MARK: - Adding steps

extension Simulator {
  func add(_ work: Step.Work, of process: SimulatedProcess?) {
    let step = Step(process: process, work: work)
    let isForeign = Simulator.onThisThread !== self
    let isDropped = content.withLock { content in
      if isForeign && content.hasBegun {
        content.foreign[step.process?.name ?? "the test", default: 0] += 1
      }
      if content.isOver || step.process?.isOver == true { return true }
      content.ready.add(step)
      return false
    }
    if isDropped { bury(step) }
    if isForeign { arrival.signal() }
  }

  /// Adds a job of a task without an executor of its own, which stays with the process that made it.
  ///
  /// A job that serves an actor belongs to no task and has no number: its caller's process makes it.
  func addGlobal(_ job: UnownedJob, after delay: Duration? = nil) {
    let process = owner(of: job)
    guard let delay else { return add(.job(job, on: nil), of: process) }
    alarm(at: now + delay, of: process, .job(job, on: nil))
  }

  fileprivate func owner(of job: UnownedJob) -> SimulatedProcess? {
    let id = "\(job)"
    return content.withLock { content in
      if id.contains("nil") { return content.current }
      if let owner = content.owners[id] { return owner }
      content.owners[id] = .some(content.current)
      return content.current
    }
  }

  @discardableResult
  func alarm(at deadline: Duration, of process: SimulatedProcess?, _ work: Step.Work) -> Int {
    content.withLock { content in
      content.lastAlarm += 1
      let new = Alarm(
        number: content.lastAlarm, deadline: deadline, step: Step(process: process, work: work))
      content.insert(new)
      return new.number
    }
  }

  func removeAlarm(_ number: Int) {
    let removed = content.withLock { content -> Alarm? in
      let index = content.alarms.firstIndex { $0.number == number }
      return index.map { content.alarms.remove(at: $0) }
    }
    withExtendedLifetime(removed) {}
  }
}

extension Simulator.Content {
  /// Inserts an alarm before those that are as late or earlier.
  fileprivate mutating func insert(_ new: Simulator.Alarm) {
    var (low, high) = (0, alarms.count)
    while low < high {
      let middle = (low + high) / 2
      if alarms[middle].deadline <= new.deadline { high = middle } else { low = middle + 1 }
    }
    alarms.insert(new, at: low)
  }
}

/// Keeps what belongs to a dead process forever: its deinits would wait for locks that it held.
func bury<Value>(_ value: Value) { _ = Unmanaged.passRetained(Grave(value)) }

private final class Grave<Value> {
  let value: Value

  init(_ value: Value) { self.value = value }
}

// MARK: - Running

extension Simulator {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The simulator whose thread calls.
  static var onThisThread: Simulator? {
    pthread_getspecific(key).map { Unmanaged<Simulator>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Begins to run steps; calls `ended` with the problem, if there is one, on a thread of no simulation.
  func start(_ ended: @escaping @Sendable (String?) -> Void) {
    content.withLock { $0.ended = ended }
    // Tasks that something outside resumes later still name it.
    bury(self)
    startThread(after: nil)
    watch(lastCount: 0)
  }

  private func startThread(after old: pthread_t?) {
    startSimulatedThread { [self] in
      if let old { pthread_join(old, nil) }
      pthread_setspecific(Simulator.key, Unmanaged.passUnretained(self).toOpaque())
      if signalStack == nil {
        signalStack = .allocate(byteCount: Traps.stackSize, alignment: 16)
      }
      Traps.useStack(signalStack)
      withUnsafeTemporaryAllocation(byteCount: 8, alignment: 8) { memory in
        stackEnd = UInt(bitPattern: memory.baseAddress) - UInt(stackSize)
      }
      content.withLock { $0.hasBegun = true }
      run()
    }
  }

  /// Ends the calling thread in the middle of its step, as a process that is killed stops.
  ///
  /// Another thread runs the next steps.
  func endThread() -> Never {
    glue_set_inside(0)
    pthread_setspecific(Simulator.key, nil)
    mainActor.endJob()
    abandonThread()
    startThread(after: pthread_self())
    pthread_exit(nil)
  }

  private enum Next {
    case step(Simulator.Step)
    case waiting
    case endless(String)
    case over(String?)
  }

  private func run() {
    while true {
      passOnPrinted()
      switch next() {
      case .step(let step): run(step)
      case .waiting:
        let patience = limits.patience / .seconds(1)
        if arrival.wait(timeout: .now() + min(patience, 1)) == .timedOut {
          end(
            """
            nothing can go on: the test waits for something that never happens. For example, a machine \
            was killed while it ran in an actor outside, which stays held: call such an actor by \
            `node.call`
            """)
        }
      case .endless(let reason): end("it is endless: \(reason)")
      case .over(let problem):
        pthread_setspecific(Simulator.key, nil)
        Traps.useStack(nil)
        signalStack.take()?.deallocate()
        pthread_detach(pthread_self())
        return finish(problem)
      }
    }
  }

  private func next() -> Next {
    content.withLock { content in
      (content.current, content.isRunning) = (nil, false)
      if content.isOver { return .over(content.problem) }
      guard let step = content.nextStep() else { return .waiting }
      content.steps += 1
      (content.current, content.isRunning) = (step.process, true)
      if content.steps > limits.steps { return .endless("\(limits.steps) steps have run") }
      if content.now > limits.time {
        return .endless("\(limits.time) of virtual time have passed")
      }
      return .step(step)
    }
  }

  private func run(_ step: Step) {
    if let process = step.process {
      if process.isOver { return bury(step) }
      // A machine with a slow disk does nothing meanwhile.
      if process.busyUntil > now {
        alarm(at: process.busyUntil, of: process, step.work)
        return
      }
      beforeStep?(process)
    }
    glue_set_inside(1)
    defer { glue_set_inside(0) }
    switch step.work {
    case .job(let job, let executor):
      job.runSynchronously(on: (executor ?? strays).asUnownedTaskExecutor())
    case .mainActorJob: mainActor.runNext(of: step.process)
    case .body(let body): body()
    }
  }

  /// Ends the simulation after the current step.
  func end(_ problem: String?) {
    content.withLock { content in
      if !content.isOver { content.problem = problem }
      content.isOver = true
    }
    arrival.signal()
  }

  private func finish(_ problem: String?) {
    content.withLock { $0.ended.take() }?(problem)
  }

  /// Ends the simulation if a step doesn't: its thread stays as it is.
  private func watch(lastCount: Int) {
    let patience = limits.patience / .seconds(1)
    DispatchQueue.global().asyncAfter(deadline: .now() + patience) { [weak self] in
      guard let self else { return }
      let (isOver, isStuck, count, name) = content.withLock { content in
        (
          content.ended == nil, content.isRunning && content.steps == lastCount, content.steps,
          content.current?.name ?? "the test"
        )
      }
      if isOver { return }
      if !isStuck { return watch(lastCount: count) }
      end(
        """
        a step of \(name) has not ended for \(limits.patience) of real time: it waits for a lock or a \
        semaphore, or it is an endless loop
        """)
      finish(content.withLock { $0.problem })
    }
  }
}

extension Simulator.Content {
  /// Takes the next step, for which time passes if nothing can run now.
  fileprivate mutating func nextStep() -> Simulator.Step? {
    if let step = ready.next() { return step }
    guard let alarm = alarms.popLast() else { return nil }
    now = max(now, alarm.deadline)
    return alarm.step
  }
}

/// Runs the jobs of tasks that prefer no executor.
///
/// `@unchecked Sendable` is sound because its variable is set before it is used.
final class StrayTasks: TaskExecutor, @unchecked Sendable {
  weak var simulator: Simulator?

  func enqueue(_ job: consuming ExecutorJob) { simulator?.addGlobal(UnownedJob(job)) }
}

/// Runs the jobs of the main actor as steps, those of a process in their order.
///
/// A process that is killed in one holds nothing.
///
/// `@unchecked Sendable` is sound because `simulator` is set before it is used, and the simulation's
/// thread alone uses `isRunning`.
final class SimulatedMainActor: SerialExecutor, @unchecked Sendable {
  /// Is taken for each job, because the simulations of a test process share what is isolated to the
  /// main actor.
  private static let turn = DispatchSemaphore(value: 1)

  weak var simulator: Simulator?
  private let jobs = Locked<[ObjectIdentifier?: [UnownedJob]]>([:])

  /// Whether the simulation's thread runs a job.
  private(set) var isRunning = false

  func enqueue(_ job: consuming ExecutorJob) {
    guard let simulator else { return }
    let job = UnownedJob(job)
    let process = simulator.owner(of: job)
    jobs.withLock { $0[process.map(ObjectIdentifier.init), default: []].append(job) }
    simulator.add(.mainActorJob, of: process)
  }

  /// Runs the oldest job of a process.
  func runNext(of process: SimulatedProcess?) {
    let job = jobs.withLock { jobs in
      let id = process.map(ObjectIdentifier.init)
      return jobs[id]?.isEmpty == false ? jobs[id]?.removeFirst() : nil
    }
    guard let job else { return }
    Self.turn.wait()
    isRunning = true
    job.runSynchronously(on: asUnownedSerialExecutor())
    endJob()
  }

  /// Ends a job, or the thread in the middle of it.
  func endJob() {
    if isRunning { Self.turn.signal() }
    isRunning = false
  }
}

private final class ThreadBody: Sendable {
  let run: @Sendable () -> Void

  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// As much as a main thread has.
private let stackSize = 8 << 20

private func startSimulatedThread(_ body: @escaping @Sendable () -> Void) {
  let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
  defer { attributes.deallocate() }
  pthread_attr_init(attributes)
  pthread_attr_setstacksize(attributes, stackSize)
  let body = Unmanaged.passRetained(ThreadBody(body)).toOpaque()
  #if canImport(Darwin)
    var thread: pthread_t?
    let error = pthread_create(
      &thread, attributes,
      { pointer in
        Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, body)
  #else
    var thread: pthread_t = 0
    let error = pthread_create(
      &thread, attributes,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<ThreadBody>.fromOpaque(pointer).takeRetainedValue().run()
        return nil
      }, body)
  #endif
  pthread_attr_destroy(attributes)
  if error != 0 { fatalError("Glue: a simulation can't start a thread (error \(error)).") }
}

// MARK: - The system

/// Whether steps get virtual time, the seed's chance, and an exit that ends their machine's process
/// alone.
let systemIsReplaced: Bool = {
  let functions = glue_system(
    now: { Int64((Simulator.onThisThread?.now ?? .zero) / .nanoseconds(1)) },
    clock_error: {
      Int64((Simulator.onThisThread?.current?.clockError ?? .zero) / .nanoseconds(1))
    },
    pass: { Simulator.onThisThread?.pass(.nanoseconds($0)) },
    number: { Simulator.onThisThread?.chance.next() ?? 0 },
    exit: { Simulator.onThisThread?.exit($0) })
  return glue_replace_system(functions) != 0
}()

extension Simulator {
  /// Ends the process whose step exits, and the simulation if that is the test's own.
  fileprivate func exit(_ status: Int32) {
    glue_set_inside(0)
    if let process = SimulatedProcess.onThisThread {
      process.stop("it exits with status \(status)")
    }
    end(
      """
      exit(\(status)) was called outside of all machines, by the test or in what a machine calls by \
      `node.call`
      """)
    endThread()
  }
}
