/// The effects of a store that are scheduled or have tasks: what a runner's lock guards.
///
/// Those with an id make up a group, in which the policies are decided.
struct Runs: Sendable {
  /// All that are not over, and those that were cancelled and still run, in no order.
  private(set) var members: [Run] = []
  var groups: [EffectID: Group] = [:]
  private var lastNumber = 0

  /// Those that have lost their turn and are to be ended, and whether somebody is doing that.
  var lost: [Run] = []
  var isEndingLost = false

  /// How many tasks of effects have not returned, those of cancelled effects included.
  var taskCount = 0

  var isShutDown = false

  /// Whether somebody waits for nothing to be going on.
  var isAwaited = false

  /// Who waits for the tasks to return after the shutdown.
  var ending: [Completion] = []

  /// Whether nothing is queued, waiting or running.
  var isIdle: Bool { members.isEmpty }
}

/// The effects with one id.
struct Group: Sendable {
  /// Those that are queued, wait or run, in the order in which they were emitted.
  var runs: [Run] = []

  /// The time after a throttled start, while it lasts.
  var window: Window?

  var isEmpty: Bool { runs.isEmpty && window == nil }
}

struct Window: Sendable {
  /// The number of the effect whose start opened the window.
  let opener: Int

  /// The effect that starts when it closes.
  var held: Run?
  var timer: Task<Void, Never>?
}

extension Runs {
  /// Adds an effect, as its policy says; what that cancels or drops goes to `removed`.
  ///
  /// - Returns: whether it takes its turn.
  mutating func emit(_ run: Run, as schedule: Schedule, _ removed: inout Removed) -> Bool {
    switch schedule.policy {
    case .latest, .debounce:
      cancel(schedule.id, &removed)
    case .leading where groups[schedule.id]?.runs.isEmpty == false:
      removed.add(run)
      return false
    case .throttle where groups[schedule.id]?.window != nil:
      hold(run, schedule.id, &removed)
      return false
    case .leading, .throttle, .sequential, .delay:
      break
    }
    add(run)
    groups[schedule.id, default: Group()].runs.append(run)
    if run.window != nil { groups[schedule.id]?.window = Window(opener: run.number) }
    return true
  }

  mutating func add(_ run: Run) {
    lastNumber += 1
    run.number = lastNumber
    run.index = members.count
    members.append(run)
  }

  /// Removes an effect from the members, if it is one, and puts the last one in its place.
  mutating func leave(_ run: Run) {
    guard let index = run.index, let last = members.popLast() else { return }
    run.index = nil
    if last === run { return }
    last.index = index
    members[index] = last
  }

  /// Keeps a throttled effect for the end of the window, instead of the one kept before.
  private mutating func hold(_ run: Run, _ id: EffectID, _ removed: inout Removed) {
    if let old = groups[id]?.window?.held {
      old.phase = .over
      leave(old)
      removed.add(old)
    }
    add(run)
    run.phase = .held
    groups[id]?.window?.held = run
  }

  /// Removes all effects with an id.
  mutating func cancel(_ id: EffectID, _ removed: inout Removed) {
    guard let index = groups.index(forKey: id) else { return }
    let (key, group) = groups.remove(at: index)
    removed.add(key)
    for run in group.runs { cancel(run, &removed) }
    if let held = group.window?.held { cancel(held, &removed) }
    if let timer = group.window?.timer { removed.add(timer) }
  }

  mutating func cancel(_ run: Run, _ removed: inout Removed) {
    if run.phase == .over { return }
    run.phase = .over
    run.origin.cancel()
    removed.cancel(run)
    if run.unfinished == 0 { leave(run) }
  }
}
