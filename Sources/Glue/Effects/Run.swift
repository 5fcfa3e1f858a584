/// One effect on its way through its handlers: it is queued, waits or runs until it is over.
///
/// `@unchecked Sendable` is sound because what varies is used under its store's lock alone, but for
/// `taskCount`, which varies only until the effect's turn.
final class Run: Placed, @unchecked Sendable {
  let effect: any Effect

  /// What it shares with others, and how that matters; nil starts it at its turn.
  private(set) var schedule: Schedule?

  /// Those that were registered at the effect's commit, or when it was resumed.
  private(set) var handlers: [Handling]

  /// What the intents that it dispatches come from.
  let origin: Origin

  /// How many tasks it needs, besides the calls of its synchronous handlers.
  private(set) var taskCount: Int

  var phase = EffectPhase.queued

  /// Whether somebody wants to be told what becomes of it.
  var isWatched = false
  var hasStarted = false

  /// Its place among all effects of its store, in the order in which they were added.
  var number = 0

  /// Where it is among its engine's members.
  var index: Int?

  /// Those with its id, and where it is among them.
  var group: Group?
  var place = 0

  /// How many of its handlers' tasks and moved calls, and deliveries to the others, have not ended.
  var unfinished = 0

  /// How many of its handlers' tasks and moved calls have not returned.
  var tasksLeft = 0

  /// Whether calls that wait for the main actor are not to be made any more.
  var isRevoked = false

  /// The tasks of its handlers, of which most effects have one.
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

  /// Whether the main actor is to call one of its handlers.
  var callsMainActor: Bool { handlers.contains { $0.callsMainActor(for: effect) } }

  func add(_ new: Task<Void, Never>) {
    if task == nil { task = new } else { moreTasks.append(new) }
  }

  var tasks: [Task<Void, Never>] {
    guard let task else { return [] }
    return [task] + moreTasks
  }

  /// Whether it is one that lasts for as long as the state says so.
  var isLasting: Bool { schedule?.id.isLasting == true }

  /// Whether it must happen, so that its end is recorded.
  var mustHappen = false

  /// Whether an earlier process has left it.
  var isOfEarlierProcess = false

  /// Whether there is a handler of its type.
  var isHandled: Bool { handlers.handle(effect) }

  /// Lets one that was left take its turn anew.
  func renew(_ schedule: Schedule?, _ handlers: [Handling]) {
    self.schedule = schedule
    self.handlers = handlers
    taskCount = handlers.count { $0.startsTask(for: effect) }
    phase = .queued
    hasStarted = false
    task = nil
    moreTasks = []
  }

  /// Leaves it to its synchronous handlers alone.
  func startNoTasks() { taskCount = 0 }

  /// Whether that was done although others would have had it.
  var isCutShort: Bool { taskCount < handlers.count { $0.startsTask(for: effect) } }

  /// Whether the current task is one of its own.
  var isCurrent: Bool {
    let current = currentTask()
    return tasks.contains { $0.hashValue == current }
  }
}

/// An effect with an id, as its task knows it: sequential ones of that id wait for it.
///
/// Tasks that it makes inherit it, but are no part of it.
struct EnclosingEffect: Sendable {
  @TaskLocal static var innermost: EnclosingEffect?

  let run: Run
  private let runner: ObjectIdentifier
  private let task = currentTask()

  init(run: Run, of runner: EffectRunner) {
    self.run = run
    self.runner = ObjectIdentifier(runner)
  }

  /// The one whose task is the current one, if it is of a runner's.
  static func current(of runner: EffectRunner?) -> Run? {
    guard let innermost, let runner, innermost.runner == ObjectIdentifier(runner) else {
      return nil
    }
    return innermost.task == currentTask() ? innermost.run : nil
  }
}

/// A number of the current task, which is also the hash value of the `Task` that stands for it.
private func currentTask() -> Int? {
  withUnsafeCurrentTask { $0?.hashValue }
}

/// How far an effect is on its way.
package enum EffectPhase: Sendable {
  case queued

  /// Kept for the end of a throttle's window.
  case held

  /// Waits for its time.
  case waiting

  /// Waits for the end of an earlier one.
  case blocked

  /// Queued again, after it was held, waited or was blocked.
  case due
  case running

  /// Of an earlier process, or without a handler: it must happen, and waits to be resumed.
  case left
  case over
}

/// An id and a policy, without the effect.
struct Schedule: Sendable {
  let id: EffectID
  let policy: EffectPolicy

  /// How much of its time has passed, if an earlier process has left it.
  var elapsed: (@Sendable () -> Duration)?
}

/// What is to be done when the store is unlocked.
@usableFromInline
enum Leftover: Sendable {
  /// A task to cancel.
  case task(Task<Void, Never>)

  /// Who has waited long enough.
  case completion(Completion)

  /// Something of the user's to call.
  case call(@Sendable () -> Void)

  /// Something whose release may run code of the user's, or end a wait.
  case value(any Sendable)
}

extension [Leftover] {
  /// Does it all; no lock may be held.
  @usableFromInline
  mutating func finish() {
    if isEmpty { return }
    for leftover in self {
      switch leftover {
      case .task(let task): task.cancel()
      case .completion(let completion): completion.complete()
      case .call(let body): body()
      case .value: break
      }
    }
    release(&self)
  }
}
