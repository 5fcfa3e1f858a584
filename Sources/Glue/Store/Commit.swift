// The second part of the pipeline, under the lock. It returns the work to do after unlocking, in
// Drain.swift.

extension Store {
  /// Reduces an intent, and delivers the consequences.
  ///
  /// If its origin is canceled, the intent is dropped (G11). If the origin is part of an activity,
  /// everything that the intent causes becomes part of it.
  @inlinable
  func commit(_ intent: any Intent, from origin: Origin?, on thread: ThreadID) {
    var next = core.withLock(
      by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }
    ) { core -> AfterUnlock? in
      if origin?.isCancelled == true { return nil }
      if core.isObserved || origin?.activity != nil {
        commitObserved(intent, from: origin, in: &core, by: thread)
      } else {
        let effects = reduce(intent, in: &core, by: thread)
        if !core.subscribers.slots.isEmpty { core.notify(by: thread) }
        if !effects.isEmpty { enqueue(effects, in: &core, by: thread) }
      }
      return core.work.afterUnlock(on: thread)
    }
    // Taken, because a copy would keep every delivered entry alive until the end.
    if next != nil { finish(next.take(), on: thread) }
  }

  /// Runs the reducer; debug builds also report an intent that it doesn't know.
  @inlinable @inline(__always)
  func reduce(
    _ intent: any Intent, in core: inout Core<State>, by thread: ThreadID
  ) -> [any Effect] {
    #if DEBUG
      var effects: [any Effect] = []
      let problem = problem(with: intent, on: thread) { effects = reducer(&core.state, intent) }
      if let problem { core.work.effects.report(problem) }
      return effects
    #else
      reducer(&core.state, intent)
    #endif
  }

  /// Enqueues the effects of a commit which no monitor, journal or `perform` observes.
  @inlinable
  func enqueue(_ effects: [any Effect], in core: inout Core<State>, by thread: ThreadID) {
    if core.work.runner == nil { prepareRunner(for: effects, in: &core) }
    core.work.enqueue(effects, isTraced: false, in: nil, by: thread)
  }

  /// Reduces an intent whose commit is observed.
  ///
  /// The journal comes first, then monitors, notifications, effects, and lasting effects.
  @inlinable @inline(never)
  func commitObserved(
    _ intent: any Intent, from origin: Origin?, in core: inout Core<State>, by thread: ThreadID
  ) {
    let before = monitors.isEmpty || core.isMute ? nil : core.state
    let emitted = reduce(intent, in: &core, by: thread)
    core.work.commits += 1
    if core.isMute { return core.work.effects.release(emitted) }
    let cause = origin?.cause ?? .outside
    if let log = core.work.log {
      log.append(intent, cause, emitted, of: core.work.commits, core.state)
      core.work.enqueueRecord(by: thread)
    }
    let change = core.updateLastingEffects()
    if let before {
      let commit = Commit(
        number: core.work.commits, intent: intent, cause: cause, effects: emitted,
        details: core.work.details(of: emitted, change), before: before, after: core.state)
      core.work.outbox.append(
        { [monitors] in for monitor in monitors { monitor.observe(commit) } }, by: thread)
    }
    core.work.trace?.append("\(type(of: intent))")
    core.notify(by: thread)
    if core.work.runner == nil { prepareRunner(for: emitted, in: &core) }
    let isTraced = before != nil || core.work.log != nil
    core.work.enqueue(emitted, isTraced: isTraced, in: origin?.activity, by: thread)
    if core.work.log != nil { core.work.enqueueEvents(ofCommit: true, by: thread) }
    if change != nil { core.enqueueLastingEffects(by: thread) }
  }
}

extension Core {
  /// Enqueues calls to the subscribers whose value has changed.
  ///
  /// The unmanaged reference saves the retain and release that are half the cost of an idle
  /// subscriber. It is sound because the array holds the object and can't change meanwhile.
  @inlinable
  mutating func notify(by thread: ThreadID) {
    for index in subscribers.slots.indices {
      guard let subscriber = subscribers.slots[index].map(Unmanaged.passUnretained) else {
        continue
      }
      subscriber._withUnsafeGuaranteedRef { $0.examine(&self, by: thread) }
    }
  }
}

extension PendingWork {
  /// Enqueues the effects of a commit, in order.
  ///
  /// `CancelEffects` and policies act here.
  ///
  /// - Parameters:
  ///   - emitted: the effects that the reducer returned.
  ///   - isTraced: whether intents must know the effect that dispatched them.
  ///   - activity: the activity that includes everything the effects cause, if any.
  ///   - thread: the calling one.
  @usableFromInline
  mutating func enqueue(
    _ emitted: [any Effect], isTraced: Bool, in activity: Activity?, by thread: ThreadID
  ) {
    var isKept = effects.isOpen
    if effects.isOpen {
      for index in emitted.indices {
        let effect = emitted[index]
        if isTraced || activity != nil || isScheduling(effect) {
          let cause = isTraced ? Cause.effect(index, ofCommit: commits) : .outside
          let origin = Origin(cause: cause, activity: activity, runner: runner)
          enqueue(effect, from: origin, by: thread)
          isKept = false
          continue
        }
        let route = route(for: effect)
        if route.handlers.isEmpty {
          isKept = false
        } else if route.isSync {
          outbox.append(.effect(effect, route.handlers), by: thread)
        } else {
          enqueue(effect, nil, to: route, from: Origin(cause: .outside, runner: runner), by: thread)
        }
      }
    }
    if !isKept && !emitted.isEmpty { effects.release(emitted) }
    if let activity { outbox.append({ withExtendedLifetime(activity) {} }, by: thread) }
  }

  /// Enqueues an effect with an origin of its own, or cancels others.
  private mutating func enqueue(
    _ effect: any Effect, from origin: Origin, by thread: ThreadID
  ) {
    if !isScheduling(effect) {
      let route = route(for: effect)
      return enqueue(effect, nil, to: route, from: origin, by: thread)
    }
    if let cancel = cast(effect, to: CancelEffects.self) {
      return effects.obey(cancel)
    }
    let scheduled = cast(effect, to: ScheduledEffect.self)
    let schedule = scheduled.map { Schedule(id: $0.key, policy: $0.policy) }
    let effect = scheduled?.effect ?? effect
    let route = effect is Send ? Send.route : route(for: effect)
    enqueue(effect, schedule, to: route, from: origin, by: thread)
  }

  private mutating func enqueue(
    _ effect: any Effect, _ schedule: Schedule?, to route: Route, from origin: Origin,
    by thread: ThreadID
  ) {
    guard let runner else { return }
    let run = EffectRun(effect, schedule, to: route, from: origin, in: runner)
    run.mustHappen = log?.mustHappen?(effect) ?? false
    if let schedule {
      if !effects.emit(run, as: schedule) { return }
    } else if run.isTracked {
      effects.add(run)
    }
    outbox.append(.turn(run), by: thread)
  }

  /// The handlers of an effect.
  ///
  /// A type without handlers is a problem, unless the store does its work.
  private mutating func route(for effect: any Effect) -> Route {
    let route = handlers.route(for: effect)
    if route.handlers.isEmpty, effects.problems != nil {
      effects.report(.unhandledEffect(type: "\(type(of: effect))"))
    }
    return route
  }

  /// The details of a commit, beside its effects, that monitors get; nil if there are none.
  @usableFromInline
  mutating func details(
    of emitted: [any Effect], _ change: LastingChange?
  ) -> CommitDetails? {
    let unhandled = emitted.indices.filter { !isHandled(emitted[$0]) }
    if change == nil && unhandled.isEmpty { return nil }
    return CommitDetails(
      began: change?.began ?? [], ceased: change?.ceased ?? [], unhandled: unhandled)
  }

  private mutating func isHandled(_ effect: any Effect) -> Bool {
    let inner = (effect as? ScheduledEffect)?.effect ?? effect
    return inner is CancelEffects || inner is Send || !handlers.route(for: inner).handlers.isEmpty
  }
}
