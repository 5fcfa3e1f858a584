internal import Foundation
internal import Glue

/// When a test's executor ends the calls that wait for its tasks; tests set it for the clocks that
/// they make.
package struct Limits: Sendable {
  /// How much real time may pass while nothing happens; nil: any, because a test that shares a busy
  /// machine can be kept from its next line for long.
  package var patience: Duration?

  /// How much may pass for the calls of a test store, and in `explore`.
  var strictPatience: Duration { patience ?? .seconds(10) }

  /// How many jobs, and sleeps for no time, may follow one another without a commit, the beginning
  /// of an effect, an advance of the clock, or rest.
  package var steps = 1_000_000

  /// How many commits of a store under test may follow one another without an advance of the clock,
  /// or rest.
  ///
  /// Each is kept until it is asserted, with the states before and after it.
  package var commits = 10_000

  /// How many effects may begin without an advance of the clock, or rest.
  package var effects = 200_000

  /// Whether a job that uses no processor time for so long counts as one that blocks its thread.
  package var findsBlocked = true

  package static let current = TaskLocal(wrappedValue: Limits())
}

/// A count of events since all tasks of an executor rested last, or its clock was advanced.
package struct Pace: Sendable {
  /// The events of which there are too many.
  package enum Excess: Sendable { case jobs, sleeps, commits, effects }

  let limits: Limits

  /// Jobs and sleeps for no time since the last commit or effect, and how many of them were sleeps.
  private var steps = 0
  private var sleeps = 0
  private var commits = 0
  private var effects = 0

  /// The intents that handlers have dispatched in the current job.
  private var dispatches = 0

  /// The last jobs before the limit, as texts, and the last effects.
  var lastTasks: Set<String> = []
  var lastEffects: [any Effect] = []

  init(limits: Limits) { self.limits = limits }

  /// Whether a limit is reached.
  var isOver: Bool { isOver(after: 0) }

  /// Whether it is time to note whose jobs they are.
  var isNearlyOver: Bool { isOver(after: 100) }

  private func isOver(after margin: Int) -> Bool {
    steps + margin >= limits.steps || commits + margin >= limits.commits
      || effects + margin >= limits.effects
  }

  var excess: Excess {
    if commits >= limits.commits { return .commits }
    if effects >= limits.effects { return .effects }
    return sleeps * 4 > steps ? .sleeps : .jobs
  }

  mutating func step() { (steps, dispatches) = (steps + 1, 0) }

  mutating func sleep() { (steps, sleeps) = (steps + 1, sleeps + 1) }

  /// Counts an intent; returns whether a job that dispatches so many is a loop.
  mutating func dispatch() -> Bool {
    dispatches += 1
    return dispatches > limits.commits
  }

  mutating func commit() { (steps, sleeps, commits) = (0, 0, commits + 1) }

  mutating func begin(_ effect: any Effect) {
    (steps, sleeps, effects) = (0, 0, effects + 1)
    if isNearlyOver { lastEffects.append(effect) }
  }

  mutating func reset() { self = Pace(limits: limits) }
}

/// The processor time of a thread.
struct ThreadTime: Sendable {
  let number = currentThread()

  #if canImport(Darwin)
    var used: Int? { nil }
  #else
    private let clock: clockid_t?

    /// Of the current thread.
    init() {
      var clock = clockid_t()
      self.clock = pthread_getcpuclockid(pthread_self(), &clock) == 0 ? clock : nil
    }

    /// The nanoseconds that the thread has run; nil if that is unknown.
    var used: Int? {
      var time = timespec()
      guard let clock, clock_gettime(clock, &time) == 0 else { return nil }
      return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
  #endif
}
