/// An effect that must happen and that an earlier process has left.
package struct LeftEffect: Sendable {
  /// What the reducer returned.
  package let effect: any Effect

  /// Which one it is: the cause of the intents that it dispatches.
  package let cause: Cause

  /// How much of its time, if it waits for one, has passed.
  package let elapsed: @Sendable () -> Duration

  package init(effect: any Effect, cause: Cause, elapsed: @escaping @Sendable () -> Duration) {
    self.effect = effect
    self.cause = cause
    self.elapsed = elapsed
  }
}

extension EffectEngine {
  /// Ends an effect without a policy that was queued at the shutdown, and that its synchronous
  /// handlers alone have had.
  mutating func endUnstarted(_ run: Run) {
    end(run.origin)
    if run.taskCount == 0 && run.isHandled { over.append(run.origin.cause) }
  }

  /// Has the end of an effect recorded, or has it wait if it did not start, or nobody handles it.
  mutating func recordEnd(of run: Run) {
    if run.hasStarted && run.isHandled && !run.isCutShort {
      run.mustHappen = false
      over.append(run.origin.cause)
    } else {
      run.phase = .left
      run.group = nil
      left.append(run)
    }
  }

  /// Has it recorded that an effect need not happen any more, unless the store only ends.
  mutating func recordCancellation(of run: Run) {
    run.mustHappen = false
    if isOpen { over.append(run.origin.cause) }
  }

  /// Adds what an earlier process has left; policies and cancellations see it from now on.
  mutating func add(_ effect: LeftEffect) {
    let scheduled = effect.effect as? ScheduledEffect
    let schedule = scheduled.map {
      Schedule(id: $0.key, policy: $0.policy, elapsed: effect.elapsed)
    }
    let run = Run(
      scheduled?.effect ?? effect.effect, schedule, handlers: [],
      origin: Origin(cause: effect.cause))
    run.mustHappen = true
    run.isOfEarlierProcess = true
    run.phase = .left
    left.append(run)
    if let schedule {
      let group = group(of: schedule.id)
      run.group = group
      group.line.append(run)
    }
  }

  /// Lets those take their turns that wait to be resumed.
  mutating func resume(with handlers: [Handling]) -> [Run] {
    if !isOpen { return [] }
    let runs = left.filter { $0.phase == .left }
    left = []
    wasResumed = true
    for run in runs {
      run.isWatched = isWatched
      run.renew(run.schedule?.remaining, run.effect is Send ? Send.handlers : handlers)
      guard let schedule = run.schedule else { continue }
      if run.group == nil { add(run, to: group(of: schedule.id)) } else { add(run) }
    }
    return runs
  }
}

extension Schedule {
  /// With what is left of its time, which is never more than all of it.
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

extension EffectRunner {
  /// Starts what waits to be resumed, in order.
  func resume(
    with handlers: [Handling], _ engine: inout EffectEngine, in outbox: inout Outbox,
    by thread: ThreadID
  ) {
    for run in engine.resume(with: handlers) {
      if run.schedule == nil {
        outbox.append(.turn(UnscheduledRun(run: run, runner: self)), by: thread)
      } else {
        queueTurns(of: [run], in: &outbox, by: thread)
      }
    }
  }
}
