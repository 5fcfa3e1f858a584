extension Store {
  /// Reduces an intent and delivers what follows, where it matters what the intent comes from.
  ///
  /// An origin that is cancelled drops the intent (G11). Of one that is part of an activity, all
  /// that the intent causes becomes part too.
  func commit(_ intent: any Intent, from origin: Origin?) {
    var effects: [any Effect] = []
    let duty = locked(.dispatch) { core, thread -> Duty? in
      if origin?.isCancelled == true { return nil }
      let before = monitors.isEmpty ? nil : core.state
      effects = reducer(&core.state, intent)
      if let before {
        core.commits += 1
        let commit = Commit(
          number: core.commits, intent: intent, cause: origin?.cause ?? .outside,
          effects: effects, before: before, after: core.state)
        core.outbox.append(
          { [monitors] in for monitor in monitors { monitor.observe(commit) } }, by: thread)
      }
      core.queueDeliveries(of: effects, in: origin?.activity, by: thread, for: self)
      return core.outbox.duty(of: thread)
    }
    // As in `dispatch`, they are released unlocked, and before what they cause is delivered (G6).
    withExtendedLifetime(effects) {}
    effects = []
    perform(duty)
  }
}

extension Core {
  /// Queues what a commit has caused, each effect with an origin of its own where that matters.
  fileprivate mutating func queueDeliveries(
    of effects: [any Effect], in activity: Activity?, by thread: ThreadID, for store: Store<State>
  ) {
    if activity == nil && store.monitors.isEmpty {
      return queueDeliveries(of: effects, by: thread, for: store)
    }
    notify(by: thread)
    if takesEffects && !effects.isEmpty {
      let source = EffectSource(
        handlers: handlers, thread: thread, number: commits, isTraced: true, activity: activity)
      queueRuns(of: effects, from: source, for: store)
    }
    if let activity { outbox.append({ withExtendedLifetime(activity) {} }, by: thread) }
  }
}
