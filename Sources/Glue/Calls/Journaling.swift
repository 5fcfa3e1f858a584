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
      core.add(log, after: commits)
      let host = prepareHost(in: &core)
      for effect in unfinished { host.add(effect, to: &core.runtime.effects) }
    }
  }

  package var newest: (state: any Sendable, commit: Int) {
    read(.state) { core in (core.state, core.runtime.company?.commits ?? 0) }
  }

  package nonisolated(nonsending) func mute() async -> (state: any Sendable, commit: Int)? {
    let last = read(.dispatch) { core -> (state: any Sendable, commit: Int)? in
      guard let company = core.runtime.company, !company.isMute else { return nil }
      company.mute()
      return (core.state, company.commits)
    }
    if last != nil { await awaitDeliveries(until: nil) }
    return last
  }
}

extension Core {
  /// Lets a log record commits, and the ends of effects that must happen.
  ///
  /// Its companion comes first, so that a record is written before monitors hear of the commit.
  mutating func add(_ log: any CommitLog, after commits: Int) {
    let company = runtime.useCompany()
    (company.log, company.commits) = (log, commits)
    companions.insert(
      Companion { number, intent, cause, effects, _, _, after, runtime, thread in
        log.append(intent, cause, effects, of: number, after)
        runtime.outbox.append(.record(log), by: thread)
      }, at: 0)
    runtime.addHearing { events, isOfCommit, runtime, thread in
      let over = events.filter(\.isDone).map(\.cause)
      // Once mute, it records none of their intents, so they happen again in the next process.
      if over.isEmpty || runtime.company?.isMute == true { return }
      if log.append(over: over, isOfLast: isOfCommit) {
        runtime.outbox.append(.record(log), by: thread)
      }
    }
  }
}

extension StoreRuntime {
  /// Starts the effects that must happen and wait for a handler, if they have one.
  @usableFromInline
  mutating func resumeEffects() {
    if effects.unfinished.isEmpty { return }
    guard let log, let host else { return }
    host.resume(at: log.now, with: &handlers, &effects)
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
    engine.unfinished.append(run)
    if let schedule {
      let group = engine.group(of: schedule.id)
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
        engine.unfinished.append(run)
        continue
      }
      run.resume(run.schedule?.remaining(at: now), to: route)
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
