internal import Dispatch

/// Tells of problems, of each once.
struct ProblemReport: Sendable {
  private let tell: @Sendable (Problem) -> Void
  private var told: Set<Problem> = []

  init(to tell: @escaping @Sendable (Problem) -> Void) { self.tell = tell }

  /// The telling of a problem, if it was not told before.
  mutating func telling(of problem: Problem) -> Leftover? {
    told.insert(problem).inserted ? .call { [tell] in tell(problem) } : nil
  }
}

extension EffectEngine {
  /// Has a problem told when the store is unlocked.
  mutating func report(_ problem: Problem) {
    if let telling = problems?.telling(of: problem) { leftovers.append(telling) }
  }

  /// Looks among the effects of a commit for those of which nothing can come.
  @usableFromInline
  mutating func lookForProblems(in effects: [any Effect], handlers: [Handling]) {
    for effect in effects {
      if let cancel = effect as? CancelEffects { lookForProblems(in: cancel) }
      if !handlers.handle(effect) {
        report(.unhandledEffect(type: "\(type(of: inner(effect)))"))
      }
    }
  }

  /// Looks for effects of an earlier process that nobody has resumed.
  mutating func lookForForgottenResume() {
    if wasResumed { return }
    for run in left where run.phase == .left && run.isOfEarlierProcess {
      report(.unresumedEffect(type: "\(type(of: run.effect))"))
    }
  }

  /// Whether an effect has begun to wait for cancelled ones to return, and nobody looks after that.
  ///
  /// - Returns: the group, if so.
  mutating func groupHeldUp(by run: Run) -> Group? {
    guard problems != nil, run.phase == .blocked, let group = run.group,
      run.schedule?.policy == .replacing, !group.isWatchedForHoldUp
    else { return nil }
    group.isWatchedForHoldUp = true
    return group
  }

  private mutating func lookForProblems(in cancel: CancelEffects) {
    let lasting = groups[EffectID(cancel.id, isLasting: true)]?.line.all.last
    if let lasting, groups[cancel.key] == nil {
      report(.cancellationOfLastingEffect(type: "\(type(of: lasting.effect))"))
    }
  }
}

extension [Handling] {
  /// Whether a handler, or the store itself, does what an effect describes.
  @usableFromInline
  func handle(_ effect: any Effect) -> Bool {
    if effect is CancelEffects { return true }
    let effect = inner(effect)
    return effect is Send || contains { $0.handles(effect) }
  }
}

/// What handlers get of an effect.
private func inner(_ effect: any Effect) -> any Effect {
  (effect as? ScheduledEffect)?.effect ?? effect
}

extension EffectRunner {
  /// Has somebody look, after 10 s of real time, for effects of an earlier process that nobody has
  /// resumed.
  func watchForForgottenResume() {
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) { [weak self] in
      self?.change { engine in engine.lookForForgottenResume() }
    }
  }

  /// Has somebody look, after 10 s of real time, whether an effect of a group still waits for
  /// cancelled ones to return.
  func watchForHoldUp(of group: Group) {
    DispatchQueue.global().asyncAfter(deadline: .now() + 10) { [weak self, weak group] in
      guard let self, let group else { return }
      change { engine in
        group.isWatchedForHoldUp = false
        let held = group.line.all.last { $0.phase == .blocked && $0.schedule?.policy == .replacing }
        if let held { engine.report(.heldUpEffect(type: "\(type(of: held.effect))")) }
      }
    }
  }
}
