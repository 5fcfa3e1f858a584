// Events of effects and problems, which the engine reports after unlocking.

// MARK: - Events

extension EffectEngine {
  /// Records an event, to be reported after unlocking.
  mutating func note(_ kind: EffectEvent.Kind, of run: EffectRun) {
    let isDone = run.mustHappen && isDone(run, after: kind)
    if !isWatched && !isDone { return }
    let id = run.isLasting ? run.schedule?.id.value : nil
    events.append(
      EffectEvent(
        kind: kind, cause: run.origin.cause, lastingID: id, time: .now, isDone: isDone))
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
    if let report = checks?.reporting(problem) { deferred.actions.append(report) }
  }

  /// Checks whether a lasting effect has ended on its own, as the last of its id: each handler that
  /// was added later has one of its own.
  mutating func checkForEarlyEnd(of run: EffectRun, _ phase: EffectPhase) {
    if checks == nil || !run.isLasting || phase == .cancelled || !phase.hasStarted {
      return
    }
    if run.group?.list.isEmpty != true { return }
    report(.endedLastingEffect(type: "\(type(of: run.effect))"))
  }

  /// Checks whether a policy's duration is negative, which means none; zero is an idiom.
  mutating func checkForNegativeDuration(in policy: EffectPolicy, of run: EffectRun) {
    if checks == nil { return }
    switch policy {
    case .debounce(let duration), .delay(let duration), .throttle(let duration, _):
      if duration < .zero { report(.negativeDuration(type: "\(type(of: run.effect))")) }
    case .latest, .replacing, .leading, .sequential: break
    }
  }

  /// Checks whether an id belongs only to a lasting effect, which `CancelEffects` doesn't cancel.
  mutating func checkForProblems(in cancellation: CancelEffects) {
    if checks == nil || groups[cancellation.key] != nil { return }
    let lasting = groups[EffectID(cancellation.id, isLasting: true)]?.list.all.last
    guard let effect = lasting?.effect else { return }
    report(.cancellationOfLastingEffect(type: "\(type(of: effect))"))
  }
}

extension EffectEngine {
  /// The effects that wait for canceled ones to return, and canceled ones for which a shutdown waits:
  /// the oldest of each type.
  var waiting: [Waiting] {
    let heldUp = members { $0.phase == .blocked && $0.schedule?.policy == .replacing }
    let heedless = checks?.watch?.isShutDown == true ? members { $0.phase == .cancelled } : []
    return waiting(heldUp) { .heldUpEffect(type: $0) }
      + waiting(heedless) { .heldUpShutdown(type: $0) }
  }

  private func waiting(_ runs: [EffectRun], _ problem: (String) -> Problem) -> [Waiting] {
    runs.reduce(into: []) { waiting, run in
      let problem = problem("\(type(of: run.effect))")
      if waiting.contains(where: { $0.problem == problem }) { return }
      waiting.append(Waiting(problem: problem, number: run.number))
    }
  }
}

extension EffectRun {
  /// Whether an earlier process has left it, and no handler has been added for it.
  fileprivate var waitsForHandler: Bool { phase == .unfinished && isRecovered }
}

/// An effect whose tasks haven't ended, for tests that name leftovers.
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
  /// The effects that haven't ended, without lasting ones: those that wait to be resumed, and the
  /// others in the order of emission.
  var inFlight: [EffectInFlight] {
    let left = unfinished.filter(\.waitsForHandler)
    return (left + members(where: { !$0.phase.isOver && !$0.isLasting })).map(EffectInFlight.init)
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
