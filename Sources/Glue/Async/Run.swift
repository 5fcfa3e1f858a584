/// One effect on its way through its handlers.
struct Run: Sendable {
  let effect: any Effect

  /// Those that were registered at the effect's commit.
  let handlers: [Handling]

  /// What the intents that it dispatches come from.
  let origin: Origin

  /// How many tasks it needs, besides the calls of its synchronous handlers.
  let taskCount: Int

  init(effect: any Effect, handlers: [Handling], origin: Origin) {
    self.effect = effect
    self.handlers = handlers
    self.origin = origin
    taskCount = handlers.count { $0.startsTask(for: effect) }
  }
}

/// An effect handler as the store sees it.
@usableFromInline
enum Handling: Sendable {
  /// A method to call; without a callback of the effect's own it uses one that all effects share.
  case sync(@Sendable (any Effect, Callback?) -> Void)

  /// A method to start a task for.
  case async(AsyncHandling)

  func startsTask(for effect: any Effect) -> Bool {
    if case .async(let handling) = self { handling.handles(effect) } else { false }
  }
}

/// A function that dispatches for one effect.
///
/// A function in an optional of its own is wrapped at each use, at the cost of two allocations; one
/// in a structure is not.
@usableFromInline
struct Callback: Sendable {
  @usableFromInline let dispatch: DispatchFunc
}

/// An asynchronous effect handler's method, with a test that tells whether to start a task for it.
@usableFromInline
final class AsyncHandling: Sendable {
  let handles: @Sendable (any Effect) -> Bool
  let handle: @Sendable (any Effect, @escaping DispatchFunc) async -> Void

  @usableFromInline
  init(
    handles: @escaping @Sendable (any Effect) -> Bool,
    handle: @escaping @Sendable (any Effect, @escaping DispatchFunc) async -> Void
  ) {
    self.handles = handles
    self.handle = handle
  }
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

  /// Adds an effect that is over; its id may be another object than the equal one of its group.
  mutating func add(_ member: Member) {
    runs.append(member.run)
    if let schedule = member.schedule { ids.append(schedule.id) }
  }

  /// Adds an effect whose tasks are to be cancelled.
  mutating func cancel(_ member: Member) {
    add(member)
    tasks += member.tasks
  }

  mutating func add(_ id: EffectID) { ids.append(id) }
  mutating func add(_ task: Task<Void, Never>) { tasks.append(task) }

  /// Cancels the tasks, and lets nobody wait for the effects any more.
  func finish() {
    for task in tasks { task.cancel() }
    for run in runs { run.origin.end() }
  }
}
