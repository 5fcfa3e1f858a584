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
  private var lastingCount: Int32 = 0

  /// How many of the members have tasks, or will.
  private var workingCount: Int32 = 0

  @usableFromInline var deferred = Deferred()

  /// The effects that need wait no longer, to be enqueued for their turn.
  @usableFromInline var due: [EffectRun] = []

  /// News for companions.
  @usableFromInline private(set) var news: [EffectNews] = []

  /// Finds and reports problems, if the store reports any.
  var checks: Checks?

  /// The groups whose ids lie in a part; made with the first effect that cancels one.
  private var parts: [EffectID: [ObjectIdentifier: EffectGroup]]?

  /// The tasks of the effects that `settled()` waits for; made with its first call from a task.
  var tasks: Set<TaskID>?

  /// The effects that a shutdown kept from starting, in calls that return them; else nil.
  private(set) var unstarted: [UnfinishedWork]?

  /// The effects that must happen and wait for a handler, in order.
  var unfinished: [EffectRun] = []

  var mode = Mode.open

  /// Whether what is canceled now is canceled by a shutdown or the store's release.
  ///
  /// No commit has decided so, and what must happen still must.
  private var isEnding = false

  /// Whether a companion watches all effects.
  @usableFromInline var isWatched = false

  /// The number of the last effect before the latest commit that had any, if problems are reported.
  private(set) var lastNumberBefore = 0

  /// Notes that the effects from now on are those of a new commit.
  @usableFromInline
  mutating func noteCommit() { if checks != nil { lastNumberBefore = lastNumber } }

  @usableFromInline
  init() {}

  @usableFromInline var isOpen: Bool { mode == .open }

  /// Whether nothing is queued, waiting or running, except lasting effects.
  var isIdle: Bool { activeCount == 0 }

  /// How many effects are queued, waiting or running, without lasting ones.
  var activeCount: Int { members.count - Int(lastingCount) }

  /// Whether a shutdown need wait no longer.
  var hasEnded: Bool { mode == .closed ? workingCount == 0 : isIdle }

  /// The members that meet a condition, in the order of emission.
  func members(where isMeant: (EffectRun) -> Bool) -> [EffectRun] {
    members.filter(isMeant).sorted { $0.number < $1.number }
  }

  @usableFromInline
  mutating func release(_ value: any Sendable) { deferred.releases.append(value) }
}

// MARK: - Beginning

extension EffectEngine {
  mutating func group(of id: EffectID) -> EffectGroup {
    if let group = groups[id] { return group }
    let group = EffectGroup(id: id)
    groups[id] = group
    if parts != nil { addToParts(group) }
    return group
  }

  private mutating func addToParts(_ group: EffectGroup) {
    for part in group.id.parts { parts?[part, default: [:]][ObjectIdentifier(group)] = group }
  }

  private mutating func removeFromParts(_ group: EffectGroup) {
    for part in group.id.parts {
      parts?[part]?[ObjectIdentifier(group)] = nil
      guard let index = parts?.index(forKey: part), parts?[index].value.isEmpty == true else {
        continue
      }
      if let entry = parts?.remove(at: index) { release(entry) }
    }
  }

  /// Makes an effect a member, and adds it to those with its id.
  mutating func add(_ run: EffectRun, to group: EffectGroup? = nil) {
    lastNumber += 1
    run.number = lastNumber
    run.index = members.count
    members.append(run)
    if run.isLasting { lastingCount += 1 }
    if run.route.taskCount > 0 { workingCount += 1 }
    if tasks != nil { listTask(of: run) }
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
    if !run.isLasting { tasks?.insert(identity(of: task)) }
    if run.phase.isOver { deferred.actions.append(.cancel(task)) }
  }
}

// MARK: - Tasks

extension EffectEngine {
  /// Whether a task belongs to an effect that isn't lasting.
  ///
  /// - Complexity: O(1); the first call lists the tasks of all effects, and from then on each task is
  ///   listed as it begins.
  mutating func hasTask(_ task: TaskID) -> Bool {
    if task == 0 { return false }
    if tasks == nil {
      tasks = []
      for run in members { listTask(of: run) }
    }
    return tasks?.contains(task) == true
  }

  /// Lists the tasks of an effect, or lets the first one list itself as it begins.
  private mutating func listTask(of run: EffectRun) {
    if run.isLasting || run.askToList() { return }
    for task in run.taskIDs { tasks?.insert(task) }
  }
}

// MARK: - Ending

extension EffectEngine {
  /// Removes an effect whose last share has ended, or which never starts.
  mutating func end(_ run: EffectRun) {
    let group = run.group  // `remove` takes it out of its group
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
      if phase == .canceled { run.group?.canceledCount -= 1 }
    }
    leaveGroup(run)
    checkForEarlyEnd(of: run, phase)
    run.become(
      run.mustHappen && phase != .canceled && !hasHappened(run, phase) ? .unfinished : .over)
    run.group = nil
    run.releaseTasks()
    if run.phase == .unfinished {
      release(run.takeRoute())
      unfinished.append(run)
    }
  }

  mutating func removeMember(_ run: EffectRun) {
    guard let index = run.index, let last = members.popLast() else { return }
    if last !== run {
      last.index = index
      members[index] = last
    }
    run.index = nil
    if tasks != nil { for task in run.taskIDs { tasks?.remove(task) } }
    if run.isLasting { lastingCount -= 1 }
    if run.route.taskCount > 0 && !run.isSynchronous { workingCount -= 1 }
  }

  /// Ends an effect's share in its group's wait, and its callback's scope.
  mutating func leaveGroup(_ run: EffectRun) {
    if run.slot >= 0 { _ = run.group?.list.remove(at: run.slot) }
    run.slot = -1
    endScope(of: run)
  }

  /// Excludes intents that a kept callback sends from now on from what is waited for.
  @usableFromInline
  mutating func endScope(of origin: Origin) {
    if let scope = origin.scope.take() { release(scope) }
  }

  /// Takes an effect out of its group, in which it neither blocks nor drops others any more.
  mutating func leaveGroup(of run: EffectRun) {
    guard let group = run.group else { return }
    leaveGroup(run)
    run.group = nil
    removeIfEmpty(group)
  }

  mutating func removeIfEmpty(_ group: EffectGroup) {
    if !group.isEmpty { return }
    guard let index = groups.index(forKey: group.id), groups[index].value === group else { return }
    if parts != nil { removeFromParts(group) }
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

// MARK: - Policies: when an effect is emitted, and when its turn in the outbox comes

extension EffectEngine {
  /// Adds an effect as its policy says, which may cancel other effects, or this one.
  ///
  /// - Returns: whether it is to be enqueued for its turn.
  mutating func emit(_ run: EffectRun, as schedule: Schedule) -> Bool {
    checkForNegativeDuration(in: schedule.policy, of: run)
    let group = group(of: schedule.id)
    switch schedule.policy {
    case .latest, .restarting:
      cancel(group)
      dismissSleeper(of: group)
      cancelUnfinished { $1 == schedule.id }
    case .debounce:
      cancel(group)
      cancelUnfinished { $1 == schedule.id }
    case .leading:
      if !group.list.isEmpty {
        cancel(run)
        return false
      }
    case .throttle(_, let latest):
      if let window = group.window {
        if window.held == nil || latest { hold(run, in: group) } else { cancel(run) }
        return false
      }
    case .sequential:
      if run.scope?.isAwaited(in: group) == true { stopForWaitingBehindItself() }
    case .concurrent, .delay:
      break
    }
    add(run, to: group)
    if run.window != nil { group.window = Window(opener: run.number) }
    return true
  }

  /// Adds a new lasting effect.
  mutating func begin(_ lasting: ActiveLastingEffect, to route: Route, in host: EffectHost)
    -> EffectRun
  {
    let run = EffectRun(
      lasting.effect.effect, Schedule(id: lasting.effect.key, policy: .restarting),
      of: lasting.effect.part, to: route,
      as: .lasting(pathText(of: lasting.effect.id), sinceCommit: lasting.since), by: host)
    add(run, to: group(of: lasting.effect.key))
    return run
  }

  /// Decides what an effect does at its turn; `now` is the time, if its policy needs it.
  ///
  /// - Returns: whether it starts. If not, it was canceled, or it waits: for others or for its
  ///   time.
  mutating func beginTurn(of run: EffectRun, at now: Duration?) -> Bool {
    if !run.phase.isQueued { return false }
    if !mayStart(run) {
      run.become(.blocked)
      checks?.watch?.begin()
      return false
    }
    if run.phase == .queued, let wait = run.schedule?.policy.wait, let now {
      run.become(.waiting)
      run.group?.waiting.insert(Wakeup(deadline: now + min(wait, longestTime), run: run))
      return false
    }
    if !start(run) { return false }
    if let group = run.group, group.window?.opener == run.number, let window = run.window, let now {
      group.window?.end = now + min(window, longestTime)
    }
    return true
  }

  /// Whether an effect need not wait for others of its group.
  func mayStart(_ run: EffectRun) -> Bool {
    guard let group = run.group else { return true }
    switch run.schedule?.policy {
    case .sequential: return group.list.first === run
    case .restarting: return (run.isLasting ? group.canceledCount : group.workingCount) == 0
    case .latest, .leading, .concurrent, .debounce, .throttle, .delay, nil: return true
    }
  }

  /// Makes the next effect of a group due that need wait no longer.
  ///
  /// Lasting ones become due all at once, because they are one effect for several handlers.
  mutating func makeNextDue(in group: EffectGroup) {
    guard let first = group.list.first else { return }
    let next = first.isLasting ? group.list.all : [first]
    for run in next where run.phase == .blocked && mayStart(run) { makeDue(run) }
  }

  mutating func makeDue(_ run: EffectRun) {
    run.become(.due)
    due.append(run)
  }

  /// Holds a throttled effect until the window ends, instead of the one held before.
  private mutating func hold(_ run: EffectRun, in group: EffectGroup) {
    if let old = group.window?.held { cancel(old) }
    add(run)
    run.become(.held)
    group.window?.held = run
  }

  /// Closes the window that an effect opened; the held one becomes due, and opens it anew.
  mutating func closeWindow(of group: EffectGroup, openedBy number: Int) {
    guard let window = group.window, window.opener == number else { return }
    group.window = nil
    guard let held = window.held else { return }
    if held.window != nil { group.window = Window(opener: held.number) }
    held.group = group
    group.list.append(held)
    makeDue(held)
  }

  /// Makes due the effects for which a group's sleeper slept; its window may end too.
  ///
  /// - Returns: the deadline until which it sleeps again, if any.
  mutating func wake(_ group: EffectGroup, _ sleeper: Int, at now: Duration) -> Duration? {
    if group.sleeper?.number != sleeper { return nil }
    while let next = group.waiting.first, next.deadline <= now {
      _ = group.waiting.popFirst()
      makeDue(next.run)
    }
    if let window = group.window, let end = window.end, end <= now {
      closeWindow(of: group, openedBy: window.opener)
    }
    let sleepUntil = group.sleepAgain()
    removeIfEmpty(group)
    return sleepUntil
  }
}

extension EffectGroup {
  /// The effects that start at their turn, independent of others, or that are with their
  /// synchronous handlers now.
  var waitingForNothing: [EffectRun] {
    var isAllQueued = true
    return list.all.filter { run in
      let isQueued = run.phase.isQueued || run.isInDelivery
      defer { if !isQueued { isAllQueued = false } }
      switch run.schedule?.policy {
      case .sequential: return isQueued && isAllQueued
      case .restarting: return isQueued && workingCount == 0
      case .latest, .leading, .concurrent, .debounce, .throttle, .delay, nil: return isQueued
      }
    }
  }
}

extension EffectRun {
  var window: Duration? { schedule?.policy.window }

  /// Whether it needs the time at its turn.
  var asksForTime: Bool { schedule?.policy.wait != nil || window != nil }

  /// Whether it starts only after some time.
  var waitsForTime: Bool {
    switch phase {
    case .waiting, .held: true
    case .queued: schedule?.policy.wait != nil
    case .due, .blocked, .synchronous, .starting, .running, .canceled, .unfinished, .over: false
    }
  }
}

// MARK: - Canceling: by `CancelEffects`, by policies, and at the store's shutdown or release

extension EffectEngine {
  mutating func cancel(_ cancellation: CancelEffects) {
    cancelUnfinished { cancellation.names($1) }
    if !cancellation.cancelsWholePart {
      checkForProblems(in: cancellation)
      checkForOwnEffects(in: groups[cancellation.key])
      return self.cancel(cancellation.key)
    }
    indexParts()
    for group in ordered((parts?[cancellation.key] ?? [:]).values) {
      checkForOwnEffects(in: group)
      self.cancel(group.id)
    }
  }
}

extension EffectEngine {
  /// Cancels the effects that belong to the parts that meet a condition, of which it gets the ids that
  /// lead there.
  ///
  /// Effects of the whole that have a ``PartID`` stay.
  ///
  /// - Complexity: O(*n*) in the number of parts that have effects.
  mutating func cancelParts(where isGone: ([any Hashable & Sendable]) -> Bool) {
    indexParts()
    guard let parts else { return }
    var gone = parts.keys.filter { isGone($0.path) }
    for run in unfinished where run.part != nil {
      gone += run.groupID?.parts.filter { !gone.contains($0) && isGone($0.path) } ?? []
    }
    if gone.isEmpty { return }
    func belongs(_ run: EffectRun) -> Bool {
      guard let parts = run.part?.keyOfUnscheduled.parts else { return false }
      return gone.contains { parts.contains($0) }
    }
    cancelUnfinished { run, _ in belongs(run) }
    for group in ordered(gone.flatMap { (parts[$0] ?? [:]).values }) {
      let runs = group.list.all + (group.window?.held.map { [$0] } ?? [])
      for run in runs where !run.phase.isOver && belongs(run) {
        checkForOwnEffect(run)
        cancelAlone(run)
      }
    }
  }

  private mutating func indexParts() {
    if parts != nil { return }
    parts = [:]
    for group in groups.values { addToParts(group) }
  }

  /// Cancels effects that must happen and belong to no group any more: those that wait for a handler,
  /// and those that a shutdown has left to the next process.
  private mutating func cancelUnfinished(where isMeant: (EffectRun, EffectID) -> Bool) {
    if unfinished.isEmpty { return }
    for run in unfinished where run.group == nil || run.phase.isOver {
      guard let id = run.groupID, isMeant(run, id) else { continue }
      if run.phase.isOver { mark(run) } else { cancel(run) }
    }
    let marked = unfinished.filter(\.isMarked)
    if marked.isEmpty { return }
    release(marked)
    unfinished.removeAll(where: \.isMarked)
  }

  /// Lets the policy of an effect act that comes after a shutdown, and is left to the next process.
  ///
  /// - Returns: whether the effect is kept.
  mutating func keepsLeftover(_ effect: ScheduledEffect, from cause: Cause) -> Bool {
    switch effect.policy {
    case .latest, .restarting, .debounce:
      cancel(effect.key)
      cancelUnfinished { $1 == effect.key }
    case .leading:
      let isLeft = unfinished.contains { $0.schedule?.id == effect.key }
      if isLeft || groups[effect.key]?.list.isEmpty == false {
        news.append(.mark(cause))
        return false
      }
    case .sequential, .concurrent, .throttle, .delay: break
    }
    return true
  }

  /// Records that an effect that must happen need not happen any more.
  mutating func mark(_ run: EffectRun) {
    if run.isMarked { return }
    run.isMarked = true
    news.append(.mark(run.cause))
  }

  /// Records an event, for companions.
  @inline(__always)
  mutating func note(_ kind: EffectEvent.Kind, of run: EffectRun) {
    if run.mustHappen || isWatched { noteNews(kind, of: run) }
  }

  private mutating func noteNews(_ kind: EffectEvent.Kind, of run: EffectRun) {
    if run.mustHappen && isDone(run, after: kind) { mark(run) }
    if !isWatched { return }
    let id = run.isLasting ? run.schedule?.id.value : nil
    let event = EffectEvent(kind: kind, cause: run.cause, lastingID: id, time: .now)
    news.append(.event(event))
  }

  @usableFromInline
  mutating func takeNews() -> [EffectNews] {
    defer { news = [] }
    return news
  }

  private func isDone(_ run: EffectRun, after kind: EffectEvent.Kind) -> Bool {
    switch kind {
    case .started: false
    case .ended: hasHappened(run, run.phase) && run.phase != .canceled
    case .canceled: !isEnding
    }
  }

  /// Whether the effect's handlers, of which there is at least one, all got it and have returned.
  func hasHappened(_ run: EffectRun, _ phase: EffectPhase) -> Bool {
    phase.hasStarted && !run.route.handlers.isEmpty && !run.isSynchronous
  }
}

/// News of an effect, for companions.
@usableFromInline
enum EffectNews: Sendable {
  /// For those that watch effects.
  case event(EffectEvent)

  /// An effect that must happen, as the cause of its intents, need not happen any more: it has, or a
  /// commit has decided so.
  case mark(Cause)
}

extension [EffectNews] {
  /// The effects that need not happen any more.
  var marks: [Cause] { compactMap { if case .mark(let cause) = $0 { cause } else { nil } } }
}

extension CancelEffects {
  /// Whether it cancels the effects with an id.
  fileprivate func names(_ id: EffectID) -> Bool {
    cancelsWholePart ? id.parts.contains(key) : id == key
  }
}

/// Groups in the order of emission, because a dictionary's order differs from run to run.
private func ordered(_ groups: some Collection<EffectGroup>) -> [EffectGroup] {
  // Most stores end without any, and sorting none costs a few hundred instructions.
  groups.isEmpty ? [] : groups.sorted { $0.firstNumber < $1.firstNumber }
}

extension EffectGroup {
  fileprivate var firstNumber: Int {
    list.first?.number ?? window?.held?.number ?? window?.opener ?? 0
  }
}

extension EffectEngine {
  mutating func cancel(_ id: EffectID) {
    guard let group = groups[id] else { return }
    cancel(group)
    dismissSleeper(of: group)
    removeIfEmpty(group)
  }

  /// Cancels all effects of a group.
  ///
  /// Its sleeper stays, because a debounced effect that follows uses it; other callers dismiss it.
  mutating func cancel(_ group: EffectGroup) {
    for run in group.list.all { cancel(run) }
    if let held = group.window?.held { cancel(held) }
    group.window = nil
    group.waiting = Heap()
  }

  mutating func cancel(_ run: EffectRun) {
    if run.phase.isOver { return }
    release(run)
    note(.canceled, of: run)
    let (hasStarted, tasks) = run.cancel(revokingCalls: !isEnding)
    for task in tasks { deferred.actions.append(.cancel(task)) }
    leaveGroup(run)
    if run.isWorking { run.group?.canceledCount += 1 }
    if !hasStarted { removeMember(run) }
    if run.mustHappen && isEnding { unfinished.append(run) }
  }

  /// Cancels the effects of some sources, except lasting ones.
  mutating func cancel(where isMeant: (Cause) -> Bool) {
    for run in members where !run.isLasting && !run.phase.isOver && isMeant(run.cause) {
      cancelAlone(run)
    }
  }

  /// Cancels one effect of its group, and lets the others continue.
  private mutating func cancelAlone(_ run: EffectRun) {
    let group = run.groupID.flatMap { groups[$0] }
    cancel(run)
    guard let group else { return }
    if group.window?.held === run { group.window?.held = nil }
    let waiting = group.waiting.unordered.filter { $0.run !== run }
    group.waiting = Heap()
    for wakeup in waiting { group.waiting.insert(wakeup) }
    closeWindow(of: group, openedBy: run.number)
    makeNextDue(in: group)
    removeIfEmpty(group)
  }

  mutating func dismissSleeper(of group: EffectGroup) {
    if let sleeper = group.takeSleeper() { deferred.actions.append(.cancel(sleeper)) }
  }
}

// MARK: - Shutting down

extension EffectEngine {
  /// Takes no more effects, and cancels lasting effects and effects that wait for a time.
  mutating func beginToFinish() {
    if mode == .open { mode = .finishing }
    isEnding = true
    defer { isEnding = false }
    let waiting = members(where: \.waitsForTime)
    unstarted? += waiting.map { UnfinishedWork($0, .waitedForTime) }
    cancelLasting()
    for group in ordered(groups.values) {
      if let held = group.window?.held { cancel(held) }
      group.window = nil
      group.waiting = Heap()
    }
    for run in waiting { cancel(run) }
  }

  mutating func cancelLasting() {
    for group in ordered(groups.values) where group.id.isLasting {
      cancel(group)
      removeIfEmpty(group)
    }
  }

  /// From now on, keeps the effects that never start, so that calls can return them.
  mutating func keepUnstarted() {
    if unstarted == nil { unstarted = [] }
  }

  /// Cancels everything for good, except queued effects that wait for nothing: these still reach
  /// their synchronous handlers.
  mutating func close() {
    if mode == .closed { return }
    beginToFinish()
    mode = .closed
    cancelUnqueued()
  }

  private mutating func cancelUnqueued() {
    isEnding = true
    defer { isEnding = false }
    let kept = Set(
      (groups.values.flatMap(\.waitingForNothing) + members.filter { $0.schedule == nil })
        .map(\.number))
    for run in members(where: { !$0.phase.isOver }) {
      if run.isInDelivery { continue }
      if kept.contains(run.number) && run.phase.isQueued {
        if startNoTasks(of: run) { unstarted?.append(UnfinishedWork(run, .notStarted)) }
        if run.phase.isQueued { continue }
      }
      if !run.phase.hasStarted { unstarted?.append(UnfinishedWork(run, .waitedForEarlier)) }
      cancel(run)
    }
  }

  /// Cancels everything, because the store is released.
  @usableFromInline
  mutating func cancelAll() {
    beginToFinish()
    mode = .closed
    if let unstarted = unstarted.take() { release(unstarted) }
    isEnding = true
    for run in members { cancel(run) }
    releaseUnfinished()
    releaseGroups()
  }

  /// Releases the effects that are left to the next process, most often none.
  private mutating func releaseUnfinished() {
    if unfinished.isEmpty { return }
    for run in unfinished { leaveGroup(of: run) }
    release(unfinished)
    unfinished = []
  }

  /// Ends empty groups, and makes due what waited for canceled effects in others.
  ///
  /// No effect waits for a time any more, so no group keeps its sleeper.
  mutating func releaseGroups() {
    for group in ordered(groups.values) {
      dismissSleeper(of: group)
      removeIfEmpty(group)
      makeNextDue(in: group)
    }
  }
}

/// The effects with one id, among which their policies decide.
///
/// `@unchecked Sendable` is sound because its store's lock guards it.
final class EffectGroup: @unchecked Sendable {
  let id: EffectID

  /// The effects that are queued, wait or run, in the order of emission.
  var list = SlotList<EffectRun>()

  /// How many effects have tasks, or calls moved to the main actor, that haven't returned.
  var workingCount = 0

  /// How many of these are canceled.
  var canceledCount = 0

  /// The time after a throttled start, while it lasts.
  var window: Window?

  /// The effects that wait for a time, the earliest deadline first.
  var waiting = Heap<Wakeup>()

  /// The one task that sleeps for all of them, and for the end of the window.
  private(set) var sleeper: Sleeper?
  private var lastSleeper = 0

  init(id: EffectID) { self.id = id }

  var isEmpty: Bool { list.isEmpty && window == nil && workingCount == 0 }

  private var deadline: Duration? {
    switch (waiting.first?.deadline, window?.end) {
    case (let deadline?, let end?): min(deadline, end)
    case (let deadline, let end): deadline ?? end
    }
  }

  func takeSleeper() -> Task<Void, Never>? {
    sleeper.take()?.task
  }

  /// Makes sure that a task wakes at or before the next deadline.
  ///
  /// A task that wakes too early sleeps again, so superseded effects don't need a task each.
  ///
  /// - Parameter sleep: starts the task that sleeps until then, for a sleeper's number.
  /// - Returns: a task that would have slept too long.
  func arm(
    _ sleep: (_ number: Int, _ deadline: Duration) -> Task<Void, Never>
  ) -> Task<Void, Never>? {
    guard let deadline else { return nil }
    if let sleeper, sleeper.deadline <= deadline { return nil }
    let late = takeSleeper()
    lastSleeper += 1
    sleeper = Sleeper(
      number: lastSleeper, deadline: deadline, task: sleep(lastSleeper, deadline))
    return late
  }

  /// Notes that the sleeper has woken.
  ///
  /// - Returns: the deadline until which it sleeps again, if any.
  func sleepAgain() -> Duration? {
    guard let deadline else {
      sleeper = nil
      return nil
    }
    sleeper?.deadline = deadline
    return deadline
  }
}

struct Sleeper: Sendable {
  let number: Int
  var deadline: Duration
  let task: Task<Void, Never>
}

struct Window: Sendable {
  /// The number of the effect whose start opened the window.
  let opener: Int

  /// The effect that starts when it closes.
  var held: EffectRun?

  /// The time at which it closes, once its opener has started.
  var end: Duration?
}

struct Wakeup: Comparable, Sendable {
  let deadline: Duration
  let run: EffectRun

  static func < (a: Wakeup, b: Wakeup) -> Bool {
    (a.deadline, a.run.number) < (b.deadline, b.run.number)
  }

  static func == (a: Wakeup, b: Wakeup) -> Bool { a.run === b.run }
}
