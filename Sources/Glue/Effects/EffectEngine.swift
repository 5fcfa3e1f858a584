/// The effects of a store that are scheduled or have tasks: part of what its lock guards.
///
/// Each method decides what becomes of effects, and defers what that takes until the store is
/// unlocked.
@usableFromInline
struct EffectEngine: Sendable {
  enum Mode {
    case open

    /// No effect is taken any more, and none waits for a time.
    case finishing

    /// Nor does one start a task.
    case closed
  }

  /// The effects that haven't ended, canceled ones that still run included, in no order.
  private(set) var members: [EffectRun] = []
  var groups: [EffectID: EffectGroup] = [:]
  private var lastNumber = 0

  /// How many of the members are lasting effects.
  private var lastingCount = 0

  /// How many of the members have tasks, or will.
  private var workingCount = 0

  /// The effects that a shutdown kept from starting, in calls that return them; else nil.
  var unstarted: [EffectInFlight]?

  /// What is to be done when the store is unlocked.
  @usableFromInline var deferred: [Deferred] = []

  /// The effects that need not wait any more, to be enqueued for their turn.
  var due: [EffectRun] = []

  /// What becomes of effects and monitors are to get, if there are any that watch it.
  @usableFromInline var events: [EffectEvent] = []

  /// Reports problems; nil where nothing looks for them.
  var problems: ProblemReport?

  /// Says which effects must happen, so that a journal records their ends; nil if none must.
  var mustHappen: (@Sendable (any Effect) -> Bool)?

  /// The effects that wait to be resumed, in order, and whether that was ever asked for.
  var left: [EffectRun] = []
  var wasResumed = false

  var mode = Mode.open
  var isWatched = false

  @usableFromInline
  init() {}

  @usableFromInline var isOpen: Bool { mode == .open }

  /// Whether nothing is queued, waiting or running, but for lasting effects.
  var isIdle: Bool { members.count == lastingCount }

  /// Whether a shutdown need not wait any more.
  var hasEnded: Bool { mode == .closed ? workingCount == 0 : isIdle }

  @usableFromInline
  mutating func release(_ value: any Sendable) { deferred.append(.release(value)) }
}

// MARK: - Beginning

extension EffectEngine {
  mutating func group(of id: EffectID) -> EffectGroup {
    if let group = groups[id] { return group }
    let group = EffectGroup(id: id)
    groups[id] = group
    return group
  }

  /// Makes an effect a member, and adds it to those with its id.
  mutating func add(_ run: EffectRun, to group: EffectGroup? = nil) {
    lastNumber += 1
    run.number = lastNumber
    run.index = members.count
    members.append(run)
    if run.isLasting { lastingCount += 1 }
    if run.route.taskCount > 0 { workingCount += 1 }
    guard let group else { return }
    run.group = group
    group.list.append(run)
  }

  /// Starts an effect whose turn has come, unless it was cancelled.
  mutating func start(_ run: EffectRun) -> Bool {
    if !run.start() { return false }
    if run.startsTasks && run.route.taskCount > 0 { countWork(of: run) }
    note(.started, of: run)
    return true
  }

  private func countWork(of run: EffectRun) {
    if run.isWorking { return }
    run.isWorking = true
    run.group?.workingCount += 1
  }

  /// Adds the call of a handler that the main actor will make.
  ///
  /// - Returns: whether it is to be made, as the effect isn't cancelled.
  mutating func beginCall(of run: EffectRun) -> Bool {
    if !run.beginCall() { return false }
    countWork(of: run)
    return true
  }

  /// Leaves an effect to its synchronous handlers, unless it has started.
  ///
  /// - Returns: whether asynchronous ones miss it.
  mutating func startNoTasks(of run: EffectRun) -> Bool {
    if run.route.taskCount == 0 || !run.startNoTasks() { return false }
    workingCount -= 1
    return true
  }

  /// Adds a further task to an effect that was started.
  mutating func add(_ task: Task<Void, Never>, to run: EffectRun) {
    run.addUnderLock(task)
    if run.phase.isOver { deferred.append(.cancel(task)) }
  }
}

// MARK: - Ending

extension EffectEngine {
  /// Removes an effect whose last share has ended, or which never starts.
  mutating func end(_ run: EffectRun) {
    let group = run.group  // which it may leave
    remove(run)
    guard let group else { return }
    removeIfEmpty(group)
    makeNextDue(in: group)
  }

  private mutating func remove(_ run: EffectRun) {
    removeMember(run)
    let phase = run.phase
    if phase.hasStarted { note(.ended, of: run) }
    if run.isWorking {
      run.isWorking = false
      run.group?.workingCount -= 1
      if phase == .cancelled { run.group?.cancelledCount -= 1 }
    }
    leaveGroup(run)
    lookForEarlyEnd(of: run, phase)
    run.become(run.mustHappen && phase != .cancelled && !hasHappened(run, phase) ? .left : .over)
    if run.phase == .left {
      run.group = nil
      left.append(run)
    }
  }

  mutating func removeMember(_ run: EffectRun) {
    guard let index = run.index, let last = members.popLast() else { return }
    if last !== run {
      last.index = index
      members[index] = last
    }
    run.index = nil
    if run.isLasting { lastingCount -= 1 }
    if run.route.taskCount > 0 && !run.isTaskless { workingCount -= 1 }
  }

  /// Ends what counts as caused by an effect: its group's wait, and its callback's activity.
  mutating func leaveGroup(_ run: EffectRun) {
    if run.slot >= 0 { _ = run.group?.list.remove(at: run.slot) }
    run.slot = -1
    end(run.origin)
  }

  /// Intents sent from now on, by a callback that was kept, are not part of what is waited for.
  @usableFromInline
  mutating func end(_ origin: Origin) {
    if let activity = origin.activity.take() { release(activity) }
  }

  /// Makes due what waits for earlier effects of its group and need not any more: the first one, or
  /// all of the lasting ones, which are one effect for several handlers.
  mutating func makeNextDue(in group: EffectGroup) {
    guard let first = group.list.first else { return }
    let next = first.isLasting ? group.list.all : [first]
    for run in next where run.phase == .blocked && mayStart(run) { makeDue(run) }
  }

  mutating func makeDue(_ run: EffectRun) {
    run.become(.due)
    due.append(run)
  }

  mutating func removeIfEmpty(_ group: EffectGroup) {
    if !group.isEmpty { return }
    guard let index = groups.index(forKey: group.id), groups[index].value === group else { return }
    release(groups.remove(at: index))
    dismissSleeper(of: group)
  }

  /// Ends an effect whose turn was lost, and the window that its start was to open.
  mutating func lose(_ run: EffectRun) {
    if run.phase.isOver { return }
    if let group = run.group { closeWindow(of: group, openedBy: run.number) }
    end(run)
  }
}
