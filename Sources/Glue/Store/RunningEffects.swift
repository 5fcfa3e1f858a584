extension Store {
  /// The effects that are scheduled or have tasks and haven't ended, in the order of emission.
  package var effectsInFlight: [EffectInFlight] { read(.state) { $0.work.effects.inFlight } }

  /// Cancels the lasting effects; they don't start again unless a commit starts them.
  package func cancelLastingEffects() {
    change { core, _ in core.work.effects.cancelLasting() }
  }

  /// Cancels the effects of some sources, except lasting ones.
  package func cancelEffects(where isMeant: (Cause) -> Bool) {
    change { core, _ in core.work.effects.cancel(where: isMeant) }
  }
}

extension Core {
  /// Compares the lasting effects with those before the commit, and cancels those that ceased.
  @usableFromInline
  mutating func updateLastingEffects() -> LastingChange? {
    if lasting == nil { return nil }
    let change = lasting?.update(for: state, commit: work.commits, &work.effects.deferred)
    for effect in change?.ceased ?? [] { work.effects.cancel(effect.key) }
    if change != nil || !hasCheckedFirstStays { lookForUnhandledLastingEffects() }
    return change
  }

  /// The first state's effects are checked at the first intent, because handlers are added until
  /// then.
  private mutating func lookForUnhandledLastingEffects() {
    defer { hasCheckedFirstStays = true }
    for stay in lasting?.stays ?? [] where stay.since == work.commits || !hasCheckedFirstStays {
      let effect = stay.effect.effect
      if work.handlers.route(for: effect).taskCount > 0 { continue }
      work.effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
  }

  /// Enqueues the effects that the commit has started.
  @usableFromInline
  mutating func enqueueLastingEffects(by thread: ThreadID) {
    guard let new = lasting?.stays.filter({ $0.since == work.commits }) else { return }
    work.begin(new, by: thread)
  }
}

extension PendingWork {
  /// Enqueues new lasting effects, for all their handlers or for a new one.
  mutating func begin(_ stays: [LastingStay], with handler: AnyHandler? = nil, by thread: ThreadID)
  {
    guard let runner, effects.isOpen else { return }
    for stay in stays {
      let effect = stay.effect.effect
      let added = handler.map { $0.handles(effect) ? [$0] : [] }
      let route = Route((added ?? handlers.route(for: effect).handlers).filter(\.isAsync))
      if route.taskCount > 0 {
        outbox.append(.turn(effects.begin(stay, to: route, in: runner)), by: thread)
      }
    }
  }
}
