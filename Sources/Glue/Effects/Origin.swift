internal import Synchronization

/// Where an intent comes from: an effect, or a call that waits for all that its intent causes.
///
/// `@unchecked Sendable` is sound because what varies is used under its store's lock alone, or is
/// atomic.
@usableFromInline
final class Origin: @unchecked Sendable {
  @usableFromInline let cause: Cause

  /// What dispatches for an effect; nil where a call waits instead.
  private let runner: EffectRunner?
  private let cancelled = Atomic(false)

  /// What has to wait for what its next intent causes: nothing any more once it has ended.
  @exclusivity(unchecked) @usableFromInline var activity: Activity?

  /// Whether it was part of something at first.
  let isPartOfActivity: Bool

  @usableFromInline
  init(cause: Cause, activity: Activity? = nil, runner: EffectRunner? = nil) {
    self.cause = cause
    self.runner = runner
    self.activity = activity
    isPartOfActivity = activity != nil
  }

  /// Whether its intents are dropped from now on (G11); changed under the store's lock.
  @usableFromInline
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Dispatches for an effect.
  ///
  /// Its closure captures this object alone, so none is allocated.
  var callback: Callback { Callback { self.runner?.dispatch($0, self) } }

  /// Lets no more of its intents be reduced.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }
}

/// What an intent causes: deinit says that all of it has finished.
///
/// The queued deliveries, effects and tasks that it has caused hold it, so dropped, replaced and
/// cancelled work counts as finished without a counter.
@usableFromInline
final class Activity: Sendable {
  private let completion: Completion

  /// The effect whose task waits for this, if it is known to do nothing else meanwhile.
  private let awaitingEffect: EffectRun?

  init(_ completion: Completion, awaitedBy effect: EffectRun? = nil) {
    self.completion = completion
    awaitingEffect = effect
  }

  deinit { completion.complete() }

  /// Whether a running effect of a group waits for this; asked under the store's lock.
  func isAwaited(in group: EffectGroup) -> Bool {
    var activity: Activity? = self
    while let effect = activity?.awaitingEffect {
      if effect.phase.hasStarted && effect.group === group { return true }
      activity = effect.origin.activity
    }
    return false
  }
}

/// Which task runs: its address, which no other task shares while it exists; 0 for none.
typealias TaskID = UInt

/// The current task.
///
/// Sound: the structure holds nothing but the reference to the task, as ``Task`` does; nil is 0.
func currentTask() -> TaskID {
  withUnsafeCurrentTask { unsafeBitCast($0, to: TaskID.self) }
}

/// An effect with an id, as its task knows it: sequential ones of that id wait for it.
///
/// Tasks that it makes inherit the value, but are no part of the effect.
struct EnclosingEffect: Sendable {
  @TaskLocal static var innermost: EnclosingEffect?

  let run: EffectRun
  private let runner: ObjectIdentifier
  private let task = currentTask()

  init(run: EffectRun, of runner: EffectRunner) {
    self.run = run
    self.runner = ObjectIdentifier(runner)
  }

  /// The effect of a runner whose task is the current one, if any.
  static func current(of runner: EffectRunner?) -> EffectRun? {
    guard let innermost, let runner, innermost.runner == ObjectIdentifier(runner) else {
      return nil
    }
    return innermost.task == currentTask() ? innermost.run : nil
  }
}
