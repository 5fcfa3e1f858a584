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
  private var lastingCount = 0

  /// How many tasks have not returned, those of cancelled effects included.
  var taskCount = 0

  /// What was queued at the shutdown and has started no tasks, while somebody wants to be told.
  var refused: [EffectInFlight]?

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

  /// Those that wait to be resumed, in order.
  var left: [Run] = []

  @usableFromInline
  init() {}

  /// Whether effects are taken.
  @usableFromInline var isOpen: Bool { mode == .open }

  /// Whether nothing is queued, waiting or running, but for lasting effects.
  var isIdle: Bool { members.count == lastingCount }
}

// MARK: - Beginning

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
    if mode == .closed && !isNew && run.taskCount > 0 { refused?.append(EffectInFlight(run)) }
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

// MARK: - Ending

extension EffectEngine {
  /// Notes that the task of an effect has returned.
  ///
  /// - Returns: those that waited for it.
  mutating func taskEnded(of run: Run) -> [Run] {
    run.tasksLeft -= 1
    if run.phase == .over { run.group?.cancelledTaskCount -= 1 }
    run.group?.taskCount -= 1
    taskCount -= 1
    return ended(run)
  }

  /// Notes that a task of an effect, or the delivery to its synchronous handlers, has ended.
  ///
  /// - Returns: those that waited for it.
  mutating func ended(_ run: Run) -> [Run] {
    let group = run.group  // which it may leave
    run.unfinished -= 1
    if run.unfinished == 0 { leave(run) }
    tellEnding()
    guard let group else { return [] }
    removeIfEmpty(group)
    return makeNextDue(in: group)
  }

  /// Removes an effect of which nothing is left to end.
  private mutating func leave(_ run: Run) {
    if let index = run.index, let last = members.popLast() {
      if last !== run {
        last.index = index
        members[index] = last
      }
      run.index = nil
      if run.isLasting { lastingCount -= 1 }
    }
    if run.hasStarted { note(.ended, of: run) }
    finish(run)
    if run.mustHappen { recordEnd(of: run) }
  }

  /// Notes that an effect is over, although tasks of it may not have returned.
  private mutating func finish(_ run: Run) {
    if run.phase == .over { return }
    run.phase = .over
    _ = run.group?.line.remove(at: run.place)
    end(run.origin)
  }

  /// Says that intents sent from now on, by a callback that was kept, are not part of what is
  /// waited for.
  @usableFromInline
  mutating func end(_ origin: Origin) {
    if let activity = origin.activity.take() { leftovers.append(.value(activity)) }
  }

  /// Those that wait for earlier ones of their group and need not wait any more: the first one, or
  /// of lasting effects all, which are one effect for several handlers.
  func makeNextDue(in group: Group) -> [Run] {
    guard let first = group.line.first else { return [] }
    let next = first.isLasting ? group.line.all : [first]
    return next.filter { run in
      if run.phase != .blocked || !mayStart(run) { return false }
      run.phase = .due
      return true
    }
  }

  mutating func removeIfEmpty(_ group: Group) {
    if !group.isEmpty { return }
    guard let index = groups.index(forKey: group.id), groups[index].value === group else { return }
    let (id, _) = groups.remove(at: index)
    dismissSleeper(of: group)
    leftovers.append(.value(id))
    leftovers.append(.value(group))
  }

  /// Ends an effect whose turn was lost, and the window that its start was to open.
  mutating func lose(_ run: Run) -> [Run] {
    if run.phase == .over { return [] }
    let held = run.group.map { closeWindow(of: $0, openedBy: run.number) } ?? []
    run.unfinished = 1
    return held + ended(run)
  }
}

// MARK: - Cancelling

extension EffectEngine {
  /// Cancels all effects with an id.
  mutating func cancel(_ id: EffectID) {
    guard let group = groups[id] else { return }
    cancel(group)
    dismissSleeper(of: group)
    removeIfEmpty(group)
  }

  /// Cancels all effects of a group; who sleeps for it may wake for the next one.
  mutating func cancel(_ group: Group) {
    for run in group.line.all { cancel(run) }
    if let held = group.window?.held { drop(held) }
    group.window = nil
    group.waiting = Heap()
  }

  mutating func cancel(_ run: Run) {
    if run.phase == .over { return }
    run.isRevoked = isOpen
    leftovers.append(.value(run))
    note(.cancelled, of: run)
    if run.mustHappen { recordCancellation(of: run) }
    run.group?.cancelledTaskCount += run.tasksLeft
    for task in run.tasks { leftovers.append(.task(task)) }
    run.origin.cancel()
    if run.unfinished == 0 { leave(run) } else { finish(run) }
  }

  /// Lets nobody sleep for a group.
  mutating func dismissSleeper(of group: Group) {
    if let sleeper = group.takeSleeper() { leftovers.append(.task(sleeper)) }
  }

  /// Removes an effect that never starts, or never was a member.
  mutating func drop(_ run: Run) {
    leftovers.append(.value(run))
    note(.cancelled, of: run)
    if run.mustHappen { recordCancellation(of: run) }
    leave(run)
  }
}
