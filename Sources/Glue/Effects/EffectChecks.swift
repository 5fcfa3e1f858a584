// Mistakes with effects: their times, what waits for them, and lasting effects.

extension EffectEngine {
  /// Reports a problem after unlocking.
  @usableFromInline
  mutating func report(_ problem: Problem) {
    if let report = checks?.reporting(problem) { deferred.actions.append(report) }
  }

  /// Checks whether a lasting effect has ended on its own, as the last of its id: each handler that
  /// was added later has one of its own.
  mutating func checkForEarlyEnd(of run: EffectRun, _ phase: EffectPhase) {
    if checks == nil || !run.isLasting || phase == .canceled || !phase.hasStarted {
      return
    }
    if run.group?.list.isEmpty != true { return }
    report(.endedLastingEffect(type: "\(type(of: run.effect))"))
  }

  /// Checks whether a policy's duration is negative, which means none.
  mutating func checkForNegativeDuration(in policy: EffectPolicy, of run: EffectRun) {
    if checks == nil { return }
    switch policy {
    case .debounce(let duration), .delay(let duration), .throttle(let duration, _):
      if duration < .zero { report(.negativeDuration(type: "\(type(of: run.effect))")) }
    case .latest, .restarting, .leading, .sequential, .concurrent: break
    }
  }

  /// Checks whether a cancellation cancels what the same commit has emitted before it.
  mutating func checkForOwnEffects(in group: EffectGroup?) {
    if checks != nil, let run = group?.list.all.last { checkForOwnEffect(run) }
  }

  mutating func checkForOwnEffect(_ run: EffectRun) {
    if checks == nil || run.number <= lastNumberBefore { return }
    report(.cancellationOfOwnEffect(type: "\(type(of: run.effect))"))
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
    let heldUp = members { $0.phase == .blocked && $0.schedule?.policy == .restarting }
    let uncooperative = checks?.watch?.isShutDown == true ? members { $0.phase == .canceled } : []
    return waiting(heldUp) { .heldUpEffect(type: $0) }
      + waiting(uncooperative) { .heldUpShutdown(type: $0) }
  }

  private func waiting(_ runs: [EffectRun], _ problem: (String) -> Problem) -> [Waiting] {
    runs.reduce(into: []) { waiting, run in
      let problem = problem("\(type(of: run.effect))")
      if waiting.contains(where: { $0.problem == problem }) { return }
      waiting.append(Waiting(problem: problem, number: run.number))
    }
  }
}

extension LastingEffects {
  /// The type of an effect that ten commits in succession have ended and begun.
  var renewedType: Any.Type? { renewals.first { $0.count == 10 }?.type }

  /// Counts a commit that ends an effect which the commit before has begun, and begins another one of
  /// its type.
  func countRenewals(of ceased: [ActiveLastingEffect], by number: Int) {
    let known = renewals
    renewals = []
    for old in ceased where old.since == number - 1 {
      let type = type(of: old.effect.effect) as Any.Type
      if renewals.contains(where: { $0.type == type }) { continue }
      if !active.contains(where: { $0.since == number && isOne($0, of: type) }) { continue }
      renewals.append((type, 1 + (known.first { $0.type == type }?.count ?? 0)))
    }
  }

  private func isOne(_ active: ActiveLastingEffect, of type: Any.Type) -> Bool {
    Swift.type(of: active.effect.effect) == type
  }
}
