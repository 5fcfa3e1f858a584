// Mistakes with effects: their handlers, their times, and lasting effects.

extension StoreRuntime {
  /// Reports an effect that no handler handles.
  mutating func reportUnhandled(_ effect: any Effect) {
    if effects.checks == nil { return }
    effects.report(.unhandledEffect(type: "\(type(of: effect))"))
  }

  /// Reports effects that an earlier process has left and that have no handler.
  ///
  /// They are checked where the store begins, if it is made with its handlers, and at its first commit,
  /// because handlers can be added until then.
  mutating func checkForUnhandledLeftovers() {
    if effects.checks == nil { return }
    for run in effects.unfinished where !(run.effect is Send) {
      if !handlers.route(for: run.effect).isHandled { reportUnhandled(run.effect) }
    }
  }
}

extension Core {
  /// Checks lasting effects after a commit.
  mutating func check(_ lasting: LastingEffects<State>, hasChanged: Bool) {
    if hasChanged, let type = lasting.restlessType {
      runtime.effects.report(.renewedLastingEffect(type: "\(type)"))
    }
    if hasChanged || !lasting.isChecked { checkForUnhandled(lasting) }
  }

  /// Checks whether the effects that have begun to last have a handler.
  ///
  /// The first ones are checked where the store begins. Without a block of handlers they are checked
  /// at the first commit, because handlers are added until then.
  mutating func checkForUnhandled(_ lasting: LastingEffects<State>) {
    let commits = company?.commits
    for active in lasting.active where active.since == commits || !lasting.isChecked {
      let effect = active.effect.effect
      if runtime.handlers.lastingRoute(for: effect).taskCount > 0 { continue }
      runtime.effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
    lasting.isChecked = true
  }
}

extension EffectEngine {
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

  /// Checks whether a cancellation cancels what the same commit has emitted before it.
  mutating func checkForOwnEffects(in group: EffectGroup?) {
    guard checks != nil, let run = group?.list.all.last, run.number > lastNumberBefore else {
      return
    }
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

extension LastingEffects {
  /// The type of an effect that ten commits in succession have ended and begun.
  var restlessType: Any.Type? { renewals.first { $0.count == 10 }?.type }

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
