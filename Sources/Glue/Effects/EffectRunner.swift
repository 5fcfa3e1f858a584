/// Runs the effects of one store that are scheduled, have tasks, or are waited for.
///
/// It decides under its own lock, which is taken under the store's or alone, and acts unlocked. It
/// does not keep the store alive, and when the store goes, cancels what there is.
@usableFromInline
final class EffectRunner: Sendable {
  let store: EffectHost
  let clock: any Clock<Duration>
  let executor: (any TaskExecutor)?
  let runs = Guarded(Runs())

  @usableFromInline
  init(store: EffectHost, clock: any Clock<Duration>) {
    self.store = store
    self.clock = clock
    executor = (clock as? any ExecutorOwning)?.executor
  }

  /// Queues the effects of a commit, or cancels earlier ones; called under the store's lock.
  @usableFromInline
  func queue(_ effects: [any Effect], of commit: EffectSource, in outbox: inout Outbox) {
    if runs.isHeld(by: commit.thread) { stopForUseWhileReducing(.dispatch) }
    for (index, effect) in effects.enumerated() {
      if isScheduling(effect), let cancel = cast(effect, to: CancelEffects.self) {
        remove(in: &outbox) { runs, removed in runs.cancel(cancel.key, &removed) }
        continue
      }
      let run = commit.run(effect, at: index)
      if let schedule = run.schedule {
        emit(run, as: schedule, commit, &outbox)
      } else if commit.isTraced || run.taskCount > 0 {
        outbox.append({ self.deliver(run) }, by: commit.thread)
      } else {
        outbox.append(.handling(effect, commit.handlers), by: commit.thread)
      }
    }
  }

  private func emit(
    _ run: Run, as schedule: Schedule, _ commit: EffectSource, _ outbox: inout Outbox
  ) {
    let takesTurn = remove(in: &outbox) { runs, removed in
      runs.emit(run, as: schedule, &removed)
    }
    if !takesTurn { return }
    let place = PlaceInQueue(of: run, in: self)
    outbox.append({ place.takeTurn() }, by: commit.thread)
  }

  /// Changes the runs under the store's lock; what that removes is dealt with after unlocking.
  private func remove<Result: Sendable>(
    in outbox: inout Outbox, _ change: (inout Runs, inout Removed) -> Result
  ) -> Result {
    var removed = Removed()
    let result = runs.withLock { runs in change(&runs, &removed) }
    outbox.remove(removed)
    return result
  }
}

/// What a runner needs of its store; each does nothing once the store is gone.
///
/// They are closures because those that are made where a store's type is known are specialised for
/// it, and a protocol's methods are not.
@usableFromInline
struct EffectHost: Sendable {
  /// Reduces an intent that comes from an effect, unless that is cancelled.
  let dispatch: @Sendable (any Intent, Origin) -> Void

  /// Queues a delivery and sees to it that it is made.
  let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Those who wait for nothing to be going on, if that is so; they are told when the store is
  /// not used any more, for they may expect it to go.
  let takeSettled: @Sendable () -> [Completion]

  @usableFromInline
  init(
    dispatch: @escaping @Sendable (any Intent, Origin) -> Void,
    enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    takeSettled: @escaping @Sendable () -> [Completion]
  ) {
    self.dispatch = dispatch
    self.enqueue = enqueue
    self.takeSettled = takeSettled
  }
}

/// A clock that runs the tasks of the stores that use it on an executor of its own.
package protocol ExecutorOwning: Sendable {
  var executor: any TaskExecutor { get }
}

/// The commit that effects belong to.
@usableFromInline
struct EffectSource {
  let handlers: [Handling]
  let thread: ThreadID

  /// Whether somebody asks what intents come from.
  let isTraced: Bool

  /// The commit's number, where monitors are told of it.
  let number: Int

  /// What the effects are part of.
  let activity: Activity?

  @usableFromInline
  init(
    handlers: [Handling], thread: ThreadID, isTraced: Bool = false, number: Int = 0,
    activity: Activity? = nil
  ) {
    self.handlers = handlers
    self.thread = thread
    self.isTraced = isTraced
    self.number = number
    self.activity = activity
  }

  func run(_ effect: any Effect, at index: Int) -> Run {
    let origin = Origin(
      cause: number == 0 ? .outside : .effect(index, ofCommit: number), activity: activity)
    guard isScheduling(effect), let scheduled = cast(effect, to: ScheduledEffect.self) else {
      return Run(effect, handlers: handlers, origin: origin)
    }
    let schedule = Schedule(id: scheduled.key, policy: scheduled.policy)
    return Run(scheduled.effect, schedule, handlers: handlers, origin: origin)
  }
}
