/// The effects with one id, among which their policies decide.
///
/// `@unchecked Sendable` is sound because it is used under its store's lock alone.
final class Group: @unchecked Sendable {
  let id: EffectID

  /// Those that are queued, wait or run, in the order in which they were emitted.
  var line = Line<Run>()

  /// How many tasks of its effects have not returned, those of cancelled ones included.
  var taskCount = 0

  /// How many of these are tasks of cancelled effects.
  var cancelledTaskCount = 0

  /// Whether somebody looks after one that waits for cancelled ones to return.
  var isWatchedForHoldUp = false

  /// The time after a throttled start, while it lasts.
  var window: Window?

  /// Those that wait for a time, the one with the earliest deadline first.
  var waiting = Heap<Wakeup>()

  /// The one task that sleeps for all of them, and for the end of the window.
  private(set) var sleeper: Sleeper?
  private var lastSleeper = 0

  init(id: EffectID) { self.id = id }

  var isEmpty: Bool { line.isEmpty && window == nil && taskCount == 0 }

  /// When something happens next, if anything.
  var deadline: Duration? {
    switch (waiting.first?.deadline, window?.end) {
    case (let deadline?, let end?): min(deadline, end)
    case (let deadline, let end): deadline ?? end
    }
  }

  /// Lets nobody sleep, and returns who did.
  func takeSleeper() -> Task<Void, Never>? {
    defer { sleeper = nil }
    return sleeper?.task
  }

  /// Sees to it that somebody sleeps no longer than until the next deadline.
  ///
  /// One who wakes too early sleeps again, so that what is superseded again and again needs no task
  /// each time.
  ///
  /// - Parameter sleep: makes the task that sleeps, for the sleeper of a number, until then.
  /// - Returns: one who would have slept too long.
  func arm(_ sleep: (_ number: Int, _ deadline: Duration) -> Task<Void, Never>) -> Task<
    Void, Never
  >? {
    guard let deadline else { return nil }
    if let sleeper, sleeper.deadline <= deadline { return nil }
    let late = takeSleeper()
    lastSleeper += 1
    let task = sleep(lastSleeper, deadline)
    sleeper = Sleeper(number: lastSleeper, deadline: deadline, task: task)
    return late
  }

  /// Notes that a sleeper has woken.
  ///
  /// - Returns: until when it goes on sleeping; nil if there is nothing to sleep for.
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
  var held: Run?

  /// When it closes, once its opener has started.
  var end: Duration?
}

/// An effect that waits for a time.
struct Wakeup: Comparable, Sendable {
  let deadline: Duration
  let run: Run

  static func < (a: Wakeup, b: Wakeup) -> Bool {
    (a.deadline, a.run.number) < (b.deadline, b.run.number)
  }

  static func == (a: Wakeup, b: Wakeup) -> Bool { a.run === b.run }
}
