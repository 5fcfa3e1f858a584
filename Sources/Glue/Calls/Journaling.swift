/// A store that has a log.
package protocol LoggedStore: AnyObject, Sendable {
  /// The state and the number of the last commit.
  var newest: (state: any Sendable, commit: Int) { get }

  /// Records and delivers nothing of later commits, and waits for the deliveries of earlier ones, as
  /// a shutdown does.
  ///
  /// - Returns: the last recorded state and the number of its commit; nil if this isn't the first
  ///   call.
  nonisolated(nonsending) func mute() async -> (state: any Sendable, commit: Int)?
}

extension Store: LoggedStore {
  /// Lets a log record later commits; called before the store is used.
  package func begin(_ log: any CommitLog, after commits: Int, unfinished: [UnfinishedEffect]) {
    core.withLock { core in
      core.runtime.isObserved = true
      core.runtime.effects.useExtras().log = log
      core.runtime.commits = commits
      let host = prepareHost(in: &core)
      for effect in unfinished { host.add(effect, to: &core.runtime.effects) }
      if !unfinished.isEmpty { core.runtime.effects.extras?.watch?.begin() }
    }
  }

  /// Starts the leftover effects, and those that no handler has handled; a no-op in the block of
  /// handlers, whose end does it.
  package func resumeEffects() {
    change(.resume) { core, _ in
      if core.runtime.hasBegun { core.runtime.resumeEffects() }
    }
  }

  package var newest: (state: any Sendable, commit: Int) {
    read(.state) { core in (core.state, core.runtime.commits) }
  }

  package nonisolated(nonsending) func mute() async -> (state: any Sendable, commit: Int)? {
    await awaitBeginning(.dispatch)
    let last = muteNow()
    if last != nil { await awaitDeliveries(until: nil) }
    return last
  }
}

extension StoreRuntime {
  /// Starts the leftover effects, if there is a log.
  mutating func resumeEffects() {
    guard let log, let host else { return }
    host.resume(at: log.now, with: &handlers, &effects)
  }
}

extension Store {
  /// Records and delivers nothing of later commits.
  ///
  /// - Returns: the last recorded state and the number of its commit; nil if this isn't the first
  ///   call.
  package func muteNow() -> (state: any Sendable, commit: Int)? {
    read(.dispatch) { core in
      if core.runtime.isMute { return nil }
      core.runtime.isMute = true
      return (core.state, core.runtime.commits)
    }
  }
}

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
    let scheduled = effect.effect as? ScheduledEffect
    let schedule = scheduled.map {
      Schedule(id: $0.key, policy: $0.policy, emitted: effect.emitted)
    }
    let run = EffectRun(
      scheduled?.effect ?? effect.effect, schedule, to: Route([]),
      from: Origin(cause: effect.cause, host: self), in: self, isRecovered: true)
    run.mustHappen = true
    engine.useExtras().unfinished.append(run)
    if let schedule {
      let group = engine.group(of: schedule.id)
      run.group = group
      group.list.append(run)
    }
  }

  /// Enqueues the leftover effects that wait to be resumed, in order.
  ///
  /// The rest of each wait is that at one instant, so that waits of one length end in order.
  func resume(at now: Duration, with handlers: inout Handlers, _ engine: inout EffectEngine) {
    let extras = engine.useExtras()
    extras.wasResumed = true
    if !engine.isOpen { return }
    let runs = extras.unfinished.filter { $0.phase == .unfinished }
    engine.release(extras.unfinished)
    extras.unfinished = []
    for run in runs {
      run.resume(
        run.schedule?.remaining(at: now),
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
  fileprivate func remaining(at now: Duration) -> Schedule {
    guard let emitted else { return self }
    func rest(of time: Duration) -> Duration { time - min(max(now - emitted, .zero), time) }
    switch policy {
    case .delay(let time): return Schedule(id: id, policy: .delay(rest(of: time)))
    case .debounce(let time): return Schedule(id: id, policy: .debounce(rest(of: time)))
    case .latest, .replacing, .leading, .sequential, .throttle: return self
    }
  }
}
