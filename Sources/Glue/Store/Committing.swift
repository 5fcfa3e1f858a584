extension Store {
  /// Reduces an intent and delivers what follows.
  ///
  /// An origin that is cancelled drops the intent (G11). Of one that is part of an activity, all
  /// that the intent causes becomes part too.
  @inlinable
  func commit(_ intent: any Intent, from origin: Origin?) {
    var effects: [any Effect] = []
    let followUp = locked(.dispatch) { core, thread -> FollowUp? in
      if origin?.isCancelled == true { return nil }
      let emitted: [any Effect]
      let keepsAll: Bool
      if core.isObserved || origin?.activity != nil {
        (emitted, keepsAll) = commitObserved(intent, from: origin, in: &core, by: thread)
      } else {
        emitted = reducer(&core.state, intent)
        core.commits += 1
        if !emitted.isEmpty { prepare(for: emitted, in: &core) }
        let isHeard = !emitted.isEmpty || !core.subscribers.places.isEmpty
        keepsAll = !isHeard || core.queueDeliveries(of: emitted, by: thread)
      }
      if !keepsAll { effects = emitted }
      return core.duty(of: thread)
    }
    // What nobody keeps is released unlocked, and before what it causes is delivered (G6).
    if !effects.isEmpty { release(&effects, on: currentThread()) }
    carryOut(followUp)
  }

  /// Reduces an intent where somebody wants to know of it, or effects may last; called under the
  /// lock.
  ///
  /// - Returns: the effects, and whether the queue keeps all of them until they are delivered.
  @inlinable @inline(never)
  func commitObserved(
    _ intent: any Intent, from origin: Origin?, in core: inout Core<State>, by thread: ThreadID
  ) -> (emitted: [any Effect], keepsAll: Bool) {
    let before = monitors.isEmpty || core.isMute ? nil : core.state
    let emitted = reducer(&core.state, intent)
    core.commits += 1
    if core.isMute { return (emitted, false) }
    let record = core.record(intent, origin?.cause ?? .outside, emitted, by: thread)
    let change = core.updateLastingEffects()
    if let before {
      let commit = Commit(
        number: core.commits, intent: intent, cause: origin?.cause ?? .outside,
        effects: emitted, details: core.details(of: emitted, change), before: before,
        after: core.state)
      core.outbox.append(
        { [monitors] in for monitor in monitors { monitor.observe(commit) } }, by: thread)
    }
    if !emitted.isEmpty { prepare(for: emitted, in: &core) }
    if core.trace != nil { core.trace?.append("\(type(of: intent))") }
    core.notify(by: thread)
    let keepsAll = core.queueEffects(
      emitted, in: origin?.activity, isTraced: before != nil || record != nil, by: thread)
    if record != nil && !core.effects.over.isEmpty { core.recordEnds(in: record, by: thread) }
    if change != nil { core.queueLastingEffects(by: thread) }
    return (emitted, keepsAll)
  }

  /// Sees to it that what the store does itself is done without handlers too, and that effects of
  /// which nothing can come are told of.
  @inlinable
  func prepare(for effects: [any Effect], in core: inout Core<State>) {
    if core.runner == nil { prepareRunner(for: effects, in: &core) }
    if report != nil { core.lookForProblems(in: effects) }
  }
}

extension Core {
  /// Compares the effects that last with those before the commit, and cancels those that are gone.
  @usableFromInline
  mutating func updateLastingEffects() -> LastingEffects<State>.Change? {
    if lasting == nil { return nil }
    let change = lasting?.update(for: state, commit: commits, &effects.leftovers)
    for effect in change?.ceased ?? [] { effects.cancel(effect.key) }
    if change != nil || !hasLookedAtFirstStays { lookForUnhandledLastingEffects() }
    return change
  }

  @usableFromInline
  mutating func lookForProblems(in emitted: [any Effect]) {
    if effects.isOpen { effects.lookForProblems(in: emitted, handlers: handlers) }
  }

  /// What a commit's monitors are told besides; nil if there is nothing.
  @usableFromInline
  func details(
    of emitted: [any Effect], _ change: LastingEffects<State>.Change?
  ) -> CommitDetails? {
    if emitted.isEmpty && change == nil { return nil }
    let unhandled = emitted.indices.filter { !handlers.handle(emitted[$0]) }
    if change == nil && unhandled.isEmpty { return nil }
    return CommitDetails(
      began: change?.began ?? [], ceased: change?.ceased ?? [], unhandled: unhandled)
  }

  /// Those of the first state are looked at when the first intent comes: until then handlers are
  /// added.
  private mutating func lookForUnhandledLastingEffects() {
    defer { hasLookedAtFirstStays = true }
    for stay in lasting?.stays ?? [] where stay.since == commits || !hasLookedAtFirstStays {
      let effect = stay.effect.effect
      if handlers.contains(where: { $0.startsTask(for: effect) }) { continue }
      effects.report(.unhandledLastingEffect(type: "\(type(of: effect))"))
    }
  }

  /// Queues those that the commit has begun.
  @usableFromInline
  mutating func queueLastingEffects(by thread: ThreadID) {
    guard let new = lasting?.stays.filter({ $0.since == commits }) else { return }
    runner?.queue(new, for: handlers, &effects, in: &outbox, by: thread)
  }

  /// Has a journal, if there is one, record a commit before anything of it is told.
  @inlinable
  mutating func record(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], by thread: ThreadID
  ) -> (any Written)? {
    guard let record = journal?.record(commits, intent, cause, effects, state) else { return nil }
    outbox.append(record, by: thread)
    return record
  }

  /// Queues the effects of a commit, each with an origin of its own where that matters.
  ///
  /// - Returns: whether the queue keeps all of them until they are delivered.
  @usableFromInline
  mutating func queueEffects(
    _ effects: [any Effect], in activity: Activity?, isTraced: Bool, by thread: ThreadID
  ) -> Bool {
    if activity == nil && !isTraced {
      return effects.isEmpty || queueEffects(effects, by: thread)
    }
    if takesEffects {
      let source = EffectSource(
        handlers: handlers, isTraced: true, number: commits, activity: activity)
      queueRuns(of: effects, from: source, by: thread)
    }
    if let activity { outbox.append({ withExtendedLifetime(activity) {} }, by: thread) }
    return false
  }
}
