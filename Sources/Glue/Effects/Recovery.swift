/// A leftover effect: it must happen, and an earlier process hasn't finished it.
package struct LeftEffect: Sendable {
  /// The effect that the reducer returned.
  package let effect: any Effect

  /// The effect's identity: the cause of the intents that it dispatches.
  package let cause: Cause

  /// How much of its wait, if its policy has one, has passed.
  package let elapsed: @Sendable () -> Duration

  package init(effect: any Effect, cause: Cause, elapsed: @escaping @Sendable () -> Duration) {
    self.effect = effect
    self.cause = cause
    self.elapsed = elapsed
  }
}

extension EffectRunner {
  /// Adds a leftover effect.
  ///
  /// Policies and cancellations apply to it from now on.
  func add(_ effect: LeftEffect, to engine: inout EffectEngine) {
    let scheduled = effect.effect as? ScheduledEffect
    let schedule = scheduled.map {
      Schedule(id: $0.key, policy: $0.policy, elapsed: effect.elapsed)
    }
    let run = EffectRun(
      scheduled?.effect ?? effect.effect, schedule, to: Route([]),
      from: Origin(cause: effect.cause, runner: self), in: self, isRecovered: true)
    run.mustHappen = true
    engine.left.append(run)
    if let schedule {
      let group = engine.group(of: schedule.id)
      run.group = group
      group.list.append(run)
    }
  }

  /// Enqueues the leftover effects that wait to be resumed, in order.
  func resume(
    with handlers: inout Handlers, _ engine: inout EffectEngine
  ) {
    if !engine.isOpen { return }
    let runs = engine.left.filter { $0.phase == .left }
    engine.left = []
    engine.wasResumed = true
    for run in runs {
      run.resume(
        run.schedule?.remaining,
        to: run.effect is Send ? Send.route : handlers.route(for: run.effect))
      if let schedule = run.schedule, run.group == nil {
        engine.add(run, to: engine.group(of: schedule.id))
      } else {
        engine.add(run)
      }
      engine.due.append(run)
    }
  }
}

extension Schedule {
  /// The schedule with the rest of its wait, which is never longer than the whole.
  fileprivate var remaining: Schedule {
    guard let elapsed else { return self }
    func rest(of time: Duration) -> Duration { time - min(max(elapsed(), .zero), time) }
    switch policy {
    case .delay(let time): return Schedule(id: id, policy: .delay(rest(of: time)))
    case .debounce(let time): return Schedule(id: id, policy: .debounce(rest(of: time)))
    case .latest, .replacing, .leading, .sequential, .throttle: return self
    }
  }
}
