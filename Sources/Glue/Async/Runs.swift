/// The effects of a store that are scheduled or have tasks: what a runner's lock guards.
///
/// A member is queued, waits or runs until it is over or cancelled. Those with an id make up a
/// group, in which the policies are decided.
struct Runs: Sendable {
  var members: [Int: Member] = [:]
  var groups: [EffectID: Group] = [:]
  private var lastNumber = 0

  /// How many tasks of effects have not returned, those of cancelled effects included.
  var taskCount = 0

  var isShutDown = false

  /// Whether somebody waits for nothing to be going on.
  var isAwaited = false

  /// Who waits for the tasks to return after the shutdown.
  var ending: [Completion] = []

  /// Whether nothing is queued, waiting or running.
  var isIdle: Bool { members.isEmpty && taskCount == 0 }
}

/// What can happen to an effect when its turn comes.
enum Turn: Sendable {
  /// It was cancelled, or waits for earlier ones.
  case skip

  /// It waits for a time, if nothing happens before.
  case wait(Duration)

  /// It starts, and perhaps opens a window: a time in which others of its id do not start.
  case start(Run, window: (id: EffectID, Duration)?)
}

struct Member: Sendable {
  enum Phase { case queued, held, waiting, blocked, due, running }

  let run: Run
  var schedule: Schedule?
  var phase = Phase.queued
  var tasks: [Task<Void, Never>] = []

  /// How many of its handlers' tasks, and deliveries to the others, have not ended.
  var unfinished = 0
}

/// An id and a policy, without the effect.
struct Schedule: Sendable {
  let id: EffectID
  let policy: EffectPolicy
}

/// The members with one id.
struct Group: Sendable {
  /// Those that are queued, wait or run, in the order in which they were emitted.
  var numbers: [Int] = []

  /// The time after a throttled start, while it lasts.
  var window: Window?

  var isEmpty: Bool { numbers.isEmpty && window == nil }
}

struct Window: Sendable {
  /// The effect whose start opened the window.
  var opener: Int

  /// The effect that starts when it closes.
  var held: Int?
  var timer: Task<Void, Never>?
}

extension Runs {
  /// Adds an effect, as its policy says; what that cancels or drops goes to `removed`.
  ///
  /// - Returns: the number of the new member, if it takes its turn now.
  mutating func emit(_ run: Run, _ schedule: Schedule, _ removed: inout Removed) -> Int? {
    switch schedule.policy {
    case .latest, .debounce:
      cancel(schedule.id, &removed)
    case .leading where groups[schedule.id]?.numbers.isEmpty == false:
      removed.add(run)
      return nil
    case .throttle where groups[schedule.id]?.window != nil:
      hold(run, schedule, &removed)
      return nil
    case .throttle(let duration) where duration > .zero:
      groups[schedule.id, default: Group()].window = Window(opener: lastNumber + 1)
    case .leading, .throttle, .sequential, .delay:
      break
    }
    let number = add(run, schedule)
    groups[schedule.id, default: Group()].numbers.append(number)
    return number
  }

  mutating func add(_ run: Run, _ schedule: Schedule?) -> Int {
    lastNumber += 1
    members[lastNumber] = Member(run: run, schedule: schedule)
    return lastNumber
  }

  /// Keeps a throttled effect for the end of the window, instead of the one kept before.
  private mutating func hold(_ run: Run, _ schedule: Schedule, _ removed: inout Removed) {
    let old = groups[schedule.id]?.window?.held
    if let old, let member = members.removeValue(forKey: old) { removed.add(member) }
    let number = add(run, schedule)
    members[number]?.phase = .held
    groups[schedule.id]?.window?.held = number
  }

  /// Removes all effects with an id.
  mutating func cancel(_ id: EffectID, _ removed: inout Removed) {
    guard let index = groups.index(forKey: id) else { return }
    let (key, group) = groups.remove(at: index)
    removed.add(key)
    for number in group.numbers { cancel(number, &removed) }
    if let held = group.window?.held { cancel(held, &removed) }
    if let timer = group.window?.timer { removed.add(timer) }
  }

  mutating func cancel(_ number: Int, _ removed: inout Removed) {
    guard let member = members.removeValue(forKey: number) else { return }
    member.run.origin.cancel()
    removed.cancel(member)
  }
}
