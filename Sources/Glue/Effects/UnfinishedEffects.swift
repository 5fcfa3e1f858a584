/// A leftover effect: it must happen, and an earlier process hasn't finished it.
package struct UnfinishedEffect: Sendable {
  /// The effect that the reducer returned.
  package let effect: any Effect

  /// The effect's identity: the cause of the intents that it dispatches.
  package let cause: Cause

  /// When it was emitted, since an instant that all processes know.
  package let emitted: Duration

  package init(effect: any Effect, cause: Cause, emitted: Duration) {
    self.effect = effect
    self.cause = cause
    self.emitted = emitted
  }
}

extension EffectHost {
  /// Adds a leftover effect.
  ///
  /// Policies and cancellations apply to it from now on.
  func add(_ effect: UnfinishedEffect, to engine: inout EffectEngine) {
    let scheduled = exact(effect.effect, as: ScheduledEffect.self)
    let part = exact(scheduled?.effect ?? effect.effect, as: PartEffect.self)
    let schedule = scheduled.map {
      Schedule(id: $0.key, policy: $0.policy, emitted: effect.emitted)
    }
    let run = EffectRun(
      plainEffect(effect.effect), schedule, of: part, to: Route([]), as: effect.cause, by: self,
      mustHappen: true, isLeftOver: true)
    engine.unfinished.append(run)
    if let id = run.groupID {
      let group = engine.group(of: id)
      run.group = group
      group.list.append(run)
    }
  }

  /// Enqueues the effects that have waited for a handler and have one, in order.
  ///
  /// The rest of each wait is that at one instant, so that waits of one length end in order.
  func resume(at now: Duration, with handlers: inout Handlers, _ engine: inout EffectEngine) {
    if !engine.isOpen { return }
    let all = engine.unfinished
    engine.release(all)
    engine.unfinished = []
    for run in all where run.phase == .unfinished {
      let route = run.effect is Send ? Send.route : handlers.route(for: run.effect)
      if !route.isHandled {
        engine.leaveGroup(of: run)
        engine.unfinished.append(run)
        continue
      }
      run.resume(run.schedule?.remaining(at: now), to: route)
      if let id = run.groupID, run.group == nil {
        engine.add(run, to: engine.group(of: id))
      } else {
        engine.add(run)
      }
      engine.due.append(run)
    }
  }
}

extension Schedule {
  /// The schedule with the rest of its wait, which is never longer than the whole.
  fileprivate func remaining(at now: Duration) -> Schedule {
    guard let emitted else { return self }
    func rest(of time: Duration) -> Duration { time - min(max(now - emitted, .zero), time) }
    switch policy {
    case .delay(let time): return Schedule(id: id, policy: .delay(rest(of: time)))
    case .debounce(let time): return Schedule(id: id, policy: .debounce(rest(of: time)))
    case .latest, .restarting, .leading, .sequential, .concurrent, .throttle: return self
    }
  }
}
