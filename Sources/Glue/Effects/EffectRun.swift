internal import Synchronization

/// The phases of an effect.
///
///     emitted ─▶ queued ─▶ starting ─▶ running ─▶ over
///
/// - `queued` in the outbox, `due` there again after a wait. From both an effect may have to wait:
///   `waiting` for a time, `blocked` by an earlier effect of its id; `held` by a throttle, instead
///   of being queued. Each becomes `due` later.
/// - `synchronous`: queued at a shutdown, which leaves it to its synchronous handlers.
/// - `starting` while the drainer calls its handlers, `running` once it has a task.
/// - `canceled` while handlers or tasks that had started haven't returned.
/// - `unfinished`: it must happen and hasn't, and waits for this or the next process to resume it.
///
/// Only ``EffectRun`` changes the phase, under the store's lock, with two exceptions: the drainer
/// changes `queued` to `starting` and `starting` to `running`, in a race with cancellations.
package enum EffectPhase: UInt8, AtomicRepresentable, Sendable {
  case queued, due, waiting, blocked, held, synchronous, starting, running, canceled, unfinished,
    over

  /// The phases that may follow; any other stops a debug build.
  var next: Set<EffectPhase> {
    switch self {
    case .queued, .due: [.waiting, .blocked, .held, .synchronous, .starting, .unfinished, .over]
    case .waiting, .blocked, .held: [.due, .unfinished, .over]
    case .synchronous: [.blocked, .starting, .unfinished, .over]
    case .starting: [.running, .canceled, .unfinished, .over]
    case .running: [.canceled, .unfinished, .over]
    case .canceled: [.over]
    case .unfinished: [.queued, .over]
    case .over: []
    }
  }

  /// Whether handlers have been called and not all have returned.
  var hasStarted: Bool { self == .starting || self == .running || self == .canceled }

  /// Whether nothing of it happens any more, except in handlers that haven't returned.
  package var isOver: Bool { self == .canceled || self == .over }

  /// Whether its turn in the outbox is still to come.
  var isQueued: Bool { self == .queued || self == .due || self == .synchronous }
}

/// One effect on its way to and through its handlers.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables, except:
/// - `phase`, `shares` and `firstTask`, which are atomic,
/// - `task`, which the drainer writes before the phase becomes `running`, and others read after,
/// - `effect` and `route`, which the holders of shares read. The thread that ends the last share writes
///   them, when the effect has left the engine. So under the lock they are read only of members, and of
///   unfinished effects while they are `unfinished`.
/// - `startsTasks`, which only the thread that gives the effect its turn uses,
/// - `schedule`, written only before it is enqueued.
///
/// For the same reason exclusivity is not checked, which would cost an asynchronous effect a tenth.
@usableFromInline
final class EffectRun: Origin, Slotted, @unchecked Sendable {
  /// Released at its end, with the route and the tasks: callbacks that handlers keep, and tasks that they
  /// leave behind, retain this object. (`part` has the effect of a part, too.)
  @exclusivity(unchecked) @usableFromInline private(set) var effect: any Effect

  /// The id and policy that it was scheduled with, if any.
  @exclusivity(unchecked) @usableFromInline private(set) var schedule: Schedule?

  /// The handlers registered at the effect's commit, or when it was resumed.
  @exclusivity(unchecked) private(set) var route: Route

  private let current = Atomic(EffectPhase.queued)

  /// How many shares haven't ended: the delivery, tasks, and calls moved to the main actor.
  private let shares: Atomic<Int>
  @exclusivity(unchecked) private var task: Task<Void, Never>?

  /// The task of the first asynchronous handler, which may run before its handle is stored here.
  private let firstTask = Atomic<TaskID>(0)
  @exclusivity(unchecked) private var moreTasks: [Task<Void, Never>] = []

  /// Whether its asynchronous handlers get it when it starts.
  @exclusivity(unchecked) private(set) var startsTasks = true

  /// Whether a shutdown left it to its synchronous handlers.
  @exclusivity(unchecked) private(set) var isSynchronous = false

  /// Its group, and its positions in the group and the engine, in the order of emission.
  @exclusivity(unchecked) var group: EffectGroup?
  @exclusivity(unchecked) @usableFromInline var slot = -1
  @exclusivity(unchecked) var index: Int?
  @exclusivity(unchecked) var number = 0

  /// Whether it has tasks or moved calls that its group counts.
  @exclusivity(unchecked) var isWorking = false

  /// Whether it must happen, and its end is recorded.
  let mustHappen: Bool

  /// Whether its end is recorded already.
  @exclusivity(unchecked) var isMarked = false

  /// Whether it was left over when it was made: by an earlier process, or, emitted after a shutdown,
  /// for the next one.
  let isLeftOver: Bool

  /// Whether its calls that wait for the main actor are dropped.
  @exclusivity(unchecked) private(set) var isRevoked = false

  /// Inlined, because a call would copy the effect and count references more often.
  @inline(__always)
  init(
    _ effect: any Effect, _ schedule: Schedule? = nil, of part: PartEffect? = nil, to route: Route,
    as cause: Cause, in scope: PerformScope? = nil, by host: EffectHost, mustHappen: Bool = false,
    isLeftOver: Bool = false
  ) {
    self.effect = effect
    self.schedule = schedule
    self.route = route
    self.mustHappen = mustHappen
    self.isLeftOver = isLeftOver
    shares = Atomic(1 + route.taskCount)
    super.init(cause: cause, scope: scope, host: host, part: part)
    if isLeftOver { current.store(.unfinished, ordering: .relaxed) }
  }

  /// The id of the group that it belongs to: its own, or that of its part's effects without one.
  var groupID: EffectID? { schedule?.id ?? part?.keyOfUnscheduled }

  var isLasting: Bool { schedule?.id.isLasting == true }

  /// Whether the store has to know when it ends.
  var isRegistered: Bool {
    schedule != nil || !route.isSync || host.isWatched || mustHappen
  }

  /// Whether its synchronous handlers are being called, and it starts no tasks.
  var isInDelivery: Bool { phase == .starting && (route.taskCount == 0 || isSynchronous) }

  /// Records the current task as the effect's first, unless there is one; called as a task begins.
  ///
  /// - Returns: whether it is to be listed among the store's tasks.
  func noteTask() -> Bool {
    let noted = firstTask.load(ordering: .relaxed)
    if noted > EffectRun.toList { return false }
    return firstTask.exchange(currentTask(), ordering: .relaxed) == EffectRun.toList
  }

  /// Asks for the effect's first task to be listed once it is known; called under the store's lock.
  ///
  /// - Returns: whether it will be. If not, ``taskIDs`` has it.
  func askToList() -> Bool {
    firstTask.compareExchange(expected: 0, desired: EffectRun.toList, ordering: .relaxed).original
      <= EffectRun.toList
  }

  /// Stands for a first task that is to be listed.
  ///
  /// The drainer and that task both put the task's address here. The one that finds this value lists
  /// the task. No task has this address.
  private static let toList: TaskID = 1

  /// Its known tasks; called under the store's lock.
  var taskIDs: [TaskID] {
    [firstTask.load(ordering: .relaxed)].filter { $0 > EffectRun.toList }
      + moreTasks.map(identity)
  }

  /// Whether a task is one of its own; called under the store's lock.
  func has(_ task: TaskID) -> Bool {
    firstTask.load(ordering: .relaxed) == task || moreTasks.contains { identity(of: $0) == task }
  }

  /// Whether it has its first task; asked by the drainer.
  var hasTask: Bool { task != nil }

  var phase: EffectPhase { current.load(ordering: .acquiring) }
  var tasks: [Task<Void, Never>] { (task.map { [$0] } ?? []) + moreTasks }
}

// MARK: - Its phases

extension EffectRun {
  /// Changes the phase, unless it is no longer `old`.
  private func move(from old: EffectPhase, to new: EffectPhase) -> Bool {
    assert(old.next.contains(new), "an effect that is \(old) cannot become \(new)")
    return current.compareExchange(
      expected: old, desired: new, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Changes the phase; called under the store's lock.
  func become(_ new: EffectPhase) {
    while !move(from: phase, to: new) {}
  }

  /// Starts it at its turn, unless it was canceled; called by the drainer.
  ///
  /// - Returns: whether it starts.
  func start() -> Bool {
    while case let old = phase, old.isQueued {
      // Only scheduled effects become due, and these start under the lock.
      startsTasks = old == .due ? !isSynchronous : old != .synchronous
      if move(from: old, to: .starting) {
        if !startsTasks { shares.subtract(route.taskCount, ordering: .relaxed) }
        return true
      }
    }
    return false
  }

  /// Leaves it to its synchronous handlers, unless it has started; called under the store's lock.
  func startNoTasks() -> Bool {
    let old = phase
    isSynchronous = old.isQueued && old != .synchronous && move(from: old, to: .synchronous)
    return isSynchronous
  }

  /// Cancels it; called under the store's lock.
  ///
  ///     the drainer                        another thread
  ///     starting: makes the task
  ///                                        cancels: there is no task yet
  ///     cannot become running any more,
  ///     and cancels the task itself
  ///
  /// - Returns: whether handlers that had started haven't returned, and their tasks.
  func cancel(revokingCalls: Bool) -> (isAtWork: Bool, tasks: [Task<Void, Never>]) {
    isRevoked = revokingCalls
    dropIntents()
    while true {
      let old = phase
      if !move(from: old, to: old.hasStarted ? .canceled : .over) { continue }
      return (old.hasStarted, old == .running ? tasks : [])
    }
  }

  /// Adds the first task after it has started; called by the drainer.
  ///
  /// - Returns: whether it is to be listed among the store's tasks.
  func add(_ first: Task<Void, Never>) -> Bool {
    task = first
    let noted = firstTask.exchange(identity(of: first), ordering: .relaxed)
    if !move(from: .starting, to: .running) { first.cancel() }
    return noted == EffectRun.toList
  }

  /// Adds a further task; called under the store's lock.
  func addUnderLock(_ new: Task<Void, Never>) { moreTasks.append(new) }

  /// Adds the call of a handler that the main actor will make; called under the store's lock.
  ///
  /// - Returns: whether it is to be made: not if the effect is canceled.
  func beginCall() -> Bool {
    if phase.isOver { return false }
    shares.add(1, ordering: .relaxed)
    return true
  }

  /// Ends one of its shares.
  ///
  /// - Returns: whether that was the last.
  func endShare() -> Bool {
    shares.subtract(1, ordering: .acquiringAndReleasing).newValue == 0
  }

  /// Releases the effect and its handlers; called, without the lock, by the thread that ended the last
  /// share.
  func releaseUserValues() { (effect, route) = (Over(), Route([])) }

  /// Releases its tasks, which have done their work; called under the store's lock.
  func releaseTasks() { (task, moreTasks) = (nil, []) }

  /// Takes the handlers away until it is resumed; called under the store's lock.
  func takeRoute() -> Route {
    defer { route = Route([]) }
    return route
  }

  /// Lets an effect that was left over take its turn again; called under the store's lock.
  func resume(_ schedule: Schedule?, to route: Route) {
    self.schedule = schedule
    self.route = route
    become(.queued)
    shares.store(1 + route.taskCount, ordering: .relaxed)
    firstTask.store(0, ordering: .relaxed)
    (task, moreTasks, isSynchronous) = (nil, [], false)
  }
}

/// Stands in for an effect that has ended.
private struct Over: Effect {}
