/// A store's effects that are scheduled or have tasks: a part of the state that its lock guards.
///
/// Each method changes the state of effects, and defers what must be done after unlocking.
@usableFromInline
struct EffectEngine: Sendable {
  enum Mode {
    case open

    /// No more effects are taken, and none waits for a time.
    case finishing

    /// No more tasks start either.
    case closed
  }

  /// The effects that haven't ended, including canceled ones that still run, unordered.
  private(set) var members: [EffectRun] = []
  var groups: [EffectID: EffectGroup] = [:]
  private var lastNumber = 0

  /// How many of the members are lasting effects.
  private var lastingCount = 0

  /// How many of the members have tasks, or will.
  private var workingCount = 0

  /// The effects that a shutdown kept from starting, in calls that return them; else nil.
  var unstarted: [EffectInFlight]?

  @usableFromInline var deferred: [Deferred] = []

  /// The effects that need wait no longer, to be enqueued for their turn.
  @usableFromInline var due: [EffectRun] = []

  /// The events of effects for monitors, if any monitor watches effects.
  @usableFromInline var events: [EffectEvent] = []

  /// Reports problems; nil if problems aren't looked for.
  var problems: ProblemReport?

  /// The effects left over from an earlier process, in order, and whether `resume` was called.
  var left: [EffectRun] = []
  var wasResumed = false

  var mode = Mode.open

  @usableFromInline
  init() {}

  @usableFromInline var isOpen: Bool { mode == .open }

  /// Whether nothing is queued, waiting or running, except lasting effects.
  var isIdle: Bool { members.count == lastingCount }

  /// Whether a shutdown need wait no longer.
  var hasEnded: Bool { mode == .closed ? workingCount == 0 : isIdle }

  /// The members that meet a condition, in the order of emission.
  func members(where isMeant: (EffectRun) -> Bool) -> [EffectRun] {
    members.filter(isMeant).sorted { $0.number < $1.number }
  }

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

  /// Starts an effect whose turn has come, unless it was canceled.
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
  /// - Returns: whether it is to be made: not if the effect is canceled.
  mutating func beginCall(of run: EffectRun) -> Bool {
    if !run.beginCall() { return false }
    countWork(of: run)
    return true
  }

  /// Leaves an effect to its synchronous handlers, unless it has started.
  ///
  /// - Returns: whether it has asynchronous handlers, which miss it.
  mutating func startNoTasks(of run: EffectRun) -> Bool {
    if run.route.taskCount == 0 || !run.startNoTasks() { return false }
    workingCount -= 1
    return true
  }

  /// Adds a further task, made under the lock so that it finds itself among the effect's.
  mutating func add(_ task: Task<Void, Never>, to run: EffectRun) {
    run.addUnderLock(task)
    if run.phase.isOver { deferred.append(.cancel(task)) }
  }
}

// MARK: - Ending

extension EffectEngine {
  /// Removes an effect whose last share has ended, or which never starts.
  mutating func end(_ run: EffectRun) {
    let group = run.group  // `end` may remove it from its group
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

  /// Ends an effect's share in its group's wait, and its callback's activity.
  mutating func leaveGroup(_ run: EffectRun) {
    if run.slot >= 0 { _ = run.group?.list.remove(at: run.slot) }
    run.slot = -1
    end(run.origin)
  }

  /// Excludes intents that a kept callback sends from now on from what is waited for.
  @usableFromInline
  mutating func end(_ origin: Origin) {
    if let activity = origin.activity.take() { release(activity) }
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
