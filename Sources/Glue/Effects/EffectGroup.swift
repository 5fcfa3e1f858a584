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
  var cancelledCount = 0

  /// Whether a watch checks for an effect that waits for canceled ones to return.
  var isWatchedForHoldUp = false

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
