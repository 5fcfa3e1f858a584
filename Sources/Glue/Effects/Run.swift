/// One effect on its way through its handlers: it is queued, waits or runs until it is over.
///
/// `@unchecked Sendable` is sound because what varies is used under its runner's lock alone.
final class Run: @unchecked Sendable {
  let effect: any Effect

  /// What it shares with others, and how that matters; nil starts it at its turn.
  let schedule: Schedule?

  /// Those that were registered at the effect's commit.
  let handlers: [Handling]

  /// What the intents that it dispatches come from.
  let origin: Origin

  /// How many tasks it needs, besides the calls of its synchronous handlers.
  let taskCount: Int

  var phase = EffectPhase.queued

  /// Its place among all effects of its store, in the order in which they were added.
  var number = 0

  /// Where it is among its runner's members.
  var index: Int?

  /// How many of its handlers' tasks, and deliveries to the others, have not ended.
  var unfinished = 0

  /// What is cancelled with it: a timer, or the tasks of its handlers, of which most have one.
  private var task: Task<Void, Never>?
  private var moreTasks: [Task<Void, Never>] = []

  init(
    _ effect: any Effect, _ schedule: Schedule? = nil, handlers: [Handling], origin: Origin
  ) {
    self.effect = effect
    self.schedule = schedule
    self.handlers = handlers
    self.origin = origin
    taskCount = handlers.count { $0.startsTask(for: effect) }
  }

  /// How long after its start others of its id do not start, if at all.
  var window: Duration? {
    guard case .throttle(let duration) = schedule?.policy, duration > .zero else { return nil }
    return duration
  }

  func add(_ new: Task<Void, Never>) {
    if task == nil { task = new } else { moreTasks.append(new) }
  }

  var tasks: [Task<Void, Never>] {
    guard let task else { return [] }
    return [task] + moreTasks
  }
}

/// How far an effect is on its way.
package enum EffectPhase: Sendable {
  case queued

  /// Kept for the end of a throttle's window.
  case held

  /// Waits for its time.
  case waiting

  /// Waits for the end of an earlier one in a sequence.
  case blocked

  /// Queued again, after it was held, waited or was blocked.
  case due
  case running
  case over
}

/// An id and a policy, without the effect.
struct Schedule: Sendable {
  let id: EffectID
  let policy: EffectPolicy
}

/// What a runner has to do, with no lock held, about effects that it has removed.
///
/// It also keeps them, and what is the user's in them, from being released under a lock.
@usableFromInline
struct Removed: Sendable {
  private var runs: [Run] = []
  private var tasks: [Task<Void, Never>] = []
  private var ids: [EffectID] = []

  var isEmpty: Bool { runs.isEmpty && tasks.isEmpty && ids.isEmpty }

  mutating func add(_ run: Run) { runs.append(run) }
  mutating func add(_ id: EffectID) { ids.append(id) }
  mutating func add(_ task: Task<Void, Never>) { tasks.append(task) }

  /// Adds an effect whose tasks are to be cancelled.
  mutating func cancel(_ run: Run) {
    runs.append(run)
    tasks += run.tasks
  }

  /// Cancels the tasks, and lets nobody wait for the effects any more.
  func finish() {
    for task in tasks { task.cancel() }
    for run in runs { run.origin.end() }
  }
}
