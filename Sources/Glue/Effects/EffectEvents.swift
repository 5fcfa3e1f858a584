internal import Dispatch

// Events of effects and problems, which the engine reports after unlocking.

// MARK: - Events

extension EffectEngine {
  /// Records an event, to be reported after unlocking.
  mutating func note(_ kind: EffectEvent.Kind, of run: EffectRun) {
    let isDone = run.mustHappen && isDone(run, after: kind)
    if !run.isMonitored && !isDone { return }
    let id = run.isLasting ? run.schedule?.id.value : nil
    events.append(
      EffectEvent(
        kind: kind, cause: run.origin.cause, lastingID: id, time: .now,
        isMonitored: run.isMonitored,
        isDone: isDone))
  }

  private func isDone(_ run: EffectRun, after kind: EffectEvent.Kind) -> Bool {
    switch kind {
    case .started: false
    case .ended: hasHappened(run, run.phase) && run.phase != .cancelled
    case .cancelled: isOpen
    }
  }

  /// Whether the effect's handlers, of which there is at least one, all got it and have returned.
  func hasHappened(_ run: EffectRun, _ phase: EffectPhase) -> Bool {
    phase.hasStarted && !run.route.handlers.isEmpty && !run.isTaskless
  }
}

// MARK: - Problems

extension EffectEngine {
  /// Reports a problem after unlocking.
  @usableFromInline
  mutating func report(_ problem: Problem) {
    if let report = extras?.problems?.reporting(problem) { deferred.actions.append(report) }
  }

  /// Checks whether a lasting effect has ended on its own, as the last of its id: each handler that
  /// was added later has one of its own.
  mutating func checkForEarlyEnd(of run: EffectRun, _ phase: EffectPhase) {
    if extras?.problems == nil || !run.isLasting || phase == .cancelled || !phase.hasStarted {
      return
    }
    if run.group?.list.isEmpty != true { return }
    report(.endedLastingEffect(type: "\(type(of: run.effect))"))
  }

  /// Checks for leftover effects that the program has never resumed.
  mutating func checkForForgottenResume() {
    guard let extras, !extras.wasResumed else { return }
    for run in extras.unfinished where run.phase == .unfinished && run.isRecovered {
      report(.unresumedEffect(type: "\(type(of: run.effect))"))
    }
  }

  /// The group of an effect that has begun to wait for canceled ones to return, if no watch checks
  /// it yet.
  func groupHeldUp(by run: EffectRun) -> EffectGroup? {
    guard run.phase == .blocked, let group = run.group,
      run.schedule?.policy == .replacing, !group.isWatchedForHoldUp
    else { return nil }
    group.isWatchedForHoldUp = true
    return group
  }

  /// Checks whether an id belongs only to a lasting effect, which `CancelEffects` doesn't cancel.
  mutating func checkForProblems(in cancellation: CancelEffects) {
    if extras?.problems == nil || groups[cancellation.key] != nil { return }
    let lasting = groups[EffectID(cancellation.id, isLasting: true)]?.list.all.last
    guard let effect = lasting?.effect else { return }
    report(.cancellationOfLastingEffect(type: "\(type(of: effect))"))
  }
}

extension EffectHost {
  /// Checks, after 10 s of real time, whether an effect of a group still waits for canceled ones to
  /// return.
  func watchForHoldUp(of group: EffectGroup) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) { [weak self, weak group] in
      guard let self, let group else { return }
      change { engine in
        group.isWatchedForHoldUp = false
        let held = group.list.all.last { $0.phase == .blocked && $0.schedule?.policy == .replacing }
        if let held { engine.report(.heldUpEffect(type: "\(type(of: held.effect))")) }
      }
    }
  }
}

/// An effect that hasn't ended, for tests that name leftovers.
package struct EffectInFlight: Sendable {
  /// The effect that the handlers get.
  package let effect: any Effect

  /// The cause of the intents that it dispatches.
  package let source: Cause

  package let phase: EffectPhase

  /// Whether it is the work of an ``AsyncThunk``.
  package var isThunk: Bool { effect is AsyncWork }

  init(_ run: EffectRun) {
    effect = run.effect
    source = run.origin.cause
    phase = run.phase == .starting ? .running : run.phase
  }
}

extension EffectEngine {
  /// The effects that haven't ended, in the order of emission, without lasting ones.
  var inFlight: [EffectInFlight] {
    members(where: { !$0.phase.isOver && !$0.isLasting }).map(EffectInFlight.init)
  }

  /// The effects that haven't ended although the engine is closed, without those that a shutdown
  /// kept from starting tasks, which are in `unstarted`.
  var notReturned: [UnfinishedWork] {
    members(where: { !$0.isTaskless }).map { run in
      switch run.phase {
      case .cancelled, .over: UnfinishedWork(run, .canceled)
      case .starting, .running: UnfinishedWork(run, .running)
      case .queued, .due, .waiting, .blocked, .held, .taskless, .unfinished:
        UnfinishedWork(run, .queued)
      }
    }
  }
}

extension UnfinishedWork {
  init(_ run: EffectRun, _ reason: Reason) {
    self = .effect(run.effect, id: run.schedule?.id.value, because: reason)
  }
}
