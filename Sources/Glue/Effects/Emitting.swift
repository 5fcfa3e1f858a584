/// What a runner needs of its store; each does nothing once the store is gone.
///
/// They are closures because those that are made where a store's type is known are specialised for
/// it, and a protocol's methods are not.
@usableFromInline
struct EffectHost: Sendable {
  /// Reduces an intent that comes from an effect, unless that is cancelled.
  let dispatch: @Sendable (any Intent, Origin) -> Void

  /// Changes, under the store's lock, what is known of the effects and queued, and has that
  /// delivered; what it returns is to be finished when the store is not used any more, for those
  /// who wait may expect it to go.
  let change: @Sendable (Change) -> [Leftover]

  @usableFromInline
  typealias Change = (inout EffectEngine, inout Outbox, ThreadID) -> Void

  @usableFromInline
  init(
    dispatch: @escaping @Sendable (any Intent, Origin) -> Void,
    change: @escaping @Sendable (Change) -> [Leftover]
  ) {
    self.dispatch = dispatch
    self.change = change
  }
}

/// The commit that effects belong to.
struct EffectSource {
  let handlers: [Handling]

  /// Whether somebody asks what intents come from.
  let isTraced: Bool

  /// The commit's number, where monitors are told of it.
  let number: Int

  /// What the effects are part of.
  let activity: Activity?

  init(
    handlers: [Handling], isTraced: Bool = false, number: Int = 0, activity: Activity? = nil
  ) {
    self.handlers = handlers
    self.isTraced = isTraced
    self.number = number
    self.activity = activity
  }

  fileprivate func run(_ effect: any Effect, at index: Int) -> Run {
    let origin = Origin(
      cause: number == 0 ? .outside : .effect(index, ofCommit: number), activity: activity)
    if !isScheduling(effect) { return Run(effect, handlers: handlers, origin: origin) }
    let scheduled = cast(effect, to: ScheduledEffect.self)
    let schedule = scheduled.map { Schedule(id: $0.key, policy: $0.policy) }
    let effect = scheduled?.effect ?? effect
    let handlers = effect is Send ? Send.handlers : handlers
    return Run(effect, schedule, handlers: handlers, origin: origin)
  }
}

extension EffectRunner {
  /// Queues the effects of a commit, or cancels earlier ones; called under the store's lock.
  func queue(
    _ effects: [any Effect], of commit: EffectSource, _ engine: inout EffectEngine,
    in outbox: inout Outbox, by thread: ThreadID
  ) {
    for (index, effect) in effects.enumerated() {
      if isScheduling(effect), let cancel = cast(effect, to: CancelEffects.self) {
        engine.cancel(cancel.key)
        continue
      }
      let run = commit.run(effect, at: index)
      run.isWatched = engine.isWatched
      run.mustHappen = engine.mustHappen?(run.effect) ?? false
      if let schedule = run.schedule {
        if engine.emit(run, as: schedule) { queueTurns(of: [run], in: &outbox, by: thread) }
      } else if commit.isTraced || run.taskCount > 0 || run.callsMainActor || run.effect is Send {
        outbox.append(.turn(UnscheduledRun(run: run, runner: self)), by: thread)
      } else {
        outbox.append(.handling(effect, commit.handlers), by: thread)
      }
    }
  }
}
