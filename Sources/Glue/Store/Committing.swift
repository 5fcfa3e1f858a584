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
      let before = monitors.isEmpty ? nil : core.state
      let emitted = reducer(&core.state, intent)
      if let before {
        core.commits += 1
        let commit = Commit(
          number: core.commits, intent: intent, cause: origin?.cause ?? .outside,
          effects: emitted, before: before, after: core.state)
        core.outbox.append(
          { [monitors] in for monitor in monitors { monitor.observe(commit) } }, by: thread)
      }
      let keepsAll = core.queueDeliveries(
        of: emitted, in: origin?.activity, isMonitored: before != nil, by: thread)
      if !keepsAll { effects = emitted }
      return core.duty(of: thread)
    }
    // What nobody keeps is released unlocked, and before what it causes is delivered (G6).
    if !effects.isEmpty { release(&effects, on: currentThread()) }
    carryOut(followUp)
  }
}

extension Core {
  /// Queues what a commit has caused, each effect with an origin of its own where that matters.
  @inlinable
  mutating func queueDeliveries(
    of effects: [any Effect], in activity: Activity?, isMonitored: Bool, by thread: ThreadID
  ) -> Bool {
    if activity == nil && !isMonitored { return queueDeliveries(of: effects, by: thread) }
    notify(by: thread)
    if takesEffects {
      let source = EffectSource(
        handlers: handlers, isTraced: true, number: commits, activity: activity)
      queueRuns(of: effects, from: source, by: thread)
    }
    if let activity { outbox.append({ withExtendedLifetime(activity) {} }, by: thread) }
    return false
  }
}
