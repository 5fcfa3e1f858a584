/// The effects of a store that are scheduled or have tasks: part of what its lock guards.
///
/// Each method decides what becomes of effects, and leaves in ``leftovers`` what is to be done about
/// that when the store is unlocked. Those that make effects due return them, to be queued for their
/// turn.
@usableFromInline
struct EffectEngine: Sendable {
  enum Mode {
    case open

    /// No effect is taken any more, and none waits for a time.
    case finishing

    /// Nor does one start a task.
    case closed
  }

  var mode = Mode.open

  /// All that are not over, and those that were cancelled and still run, in no order.
  var members: [Run] = []
  var groups: [EffectID: Group] = [:]
  private var lastNumber = 0

  /// How many of the members are lasting effects.
  var lastingCount = 0

  /// How many tasks have not returned, those of cancelled effects included.
  var taskCount = 0

  /// The effects that the shutdown kept from starting, or from starting their tasks.
  ///
  /// Nil before the first call of `shutdown(finishing:within:)`. They stay here after it, because
  /// every other call returns them too.
  var unstarted: [EffectInFlight]?

  /// Who waits, after the shutdown, for the tasks to return, or for all effects to be over.
  var ending: [Completion] = []

  /// What is to be done when the store is unlocked.
  @usableFromInline var leftovers: [Leftover] = []

  /// Whether somebody wants to be told what becomes of effects.
  var isWatched = false

  /// What is to be told of that.
  var events: [EffectEvent] = []

  /// What is told of problems; nil where nobody is.
  var problems: ProblemReport?

  /// Says which effects must happen, so that their ends are recorded, if any.
  var mustHappen: (@Sendable (any Effect) -> Bool)?

  /// Those of that kind that are over, to be recorded.
  @usableFromInline var over: [Cause] = []

  /// Those that wait to be resumed, in order, and whether that was ever asked for.
  var left: [Run] = []
  var wasResumed = false

  @usableFromInline
  init() {}

  /// Whether effects are taken.
  var isOpen: Bool { mode == .open }

  /// Whether nothing is queued, waiting or running, but for lasting effects.
  var isIdle: Bool { members.count == lastingCount }
}

extension EffectEngine {
  /// The effects with an id.
  mutating func group(of id: EffectID) -> Group {
    if let group = groups[id] { return group }
    let group = Group(id: id)
    groups[id] = group
    return group
  }

  /// Adds an effect to all.
  mutating func add(_ run: Run) {
    lastNumber += 1
    run.number = lastNumber
    run.index = members.count
    members.append(run)
    if run.isLasting { lastingCount += 1 }
  }

  /// Adds an effect to those with its id.
  mutating func add(_ run: Run, to group: Group) {
    add(run)
    run.group = group
    group.line.append(run)
  }

  /// Adds an effect without a policy, emitted just now or queued before, to start at once.
  ///
  /// - Returns: whether it may; not so after the shutdown.
  mutating func startNow(_ run: Run, isNew: Bool) -> Bool {
    if mode == .closed && !isNew && run.taskCount > 0 { unstarted?.append(EffectInFlight(run)) }
    if mode == .closed || isNew && mode != .open { return false }
    add(run)
    start(run)
    return true
  }

  mutating func start(_ run: Run) {
    run.phase = .running
    run.hasStarted = true
    note(.started, of: run)
    run.unfinished = run.taskCount + 1
    run.tasksLeft = run.taskCount
    run.group?.taskCount += run.taskCount
    taskCount += run.taskCount
  }

  /// Makes a task of an effect, unless that was cancelled meanwhile.
  ///
  /// It is made under the lock, so that it is known before it runs; that calls nothing of the
  /// user's. Else a cancellation between the two would miss it:
  ///
  ///     who delivers                      another thread
  ///     makes the task, which runs
  ///                                       commits CancelEffects: the effect has no task to cancel
  ///     adds the task to the effect, and nobody cancels it any more
  mutating func startTask(of run: Run, _ make: () -> Task<Void, Never>) -> [Run] {
    if run.phase == .over { return taskEnded(of: run) }
    run.add(make())
    return []
  }

  /// Notes that the main actor will call a handler of an effect: that counts as a task of it.
  ///
  /// - Returns: whether it will, as the effect was not cancelled meanwhile.
  mutating func beginCall(of run: Run) -> Bool {
    if run.phase == .over { return false }
    run.unfinished += 1
    run.tasksLeft += 1
    run.group?.taskCount += 1
    taskCount += 1
    return true
  }
}
