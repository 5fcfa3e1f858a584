// The way of an intent, from `dispatch` to the last call that it causes, in this order:
//
// - dispatch: passes it through the middleware, if any.
// - commit: under the lock, the reducer changes the state.
// - enqueue: still under the lock, subscribers whose value changed and effects enter the outbox.
//   Policies and `CancelEffects` act.
// - finish: unlocked, the caller cancels tasks, resumes waiters, and releases user values.
// - drain: a caller that finds the outbox idle makes deliveries until it is empty. It notifies
//   subscribers, calls handlers, and gives effects their turn.

// MARK: - Dispatch

extension Store {
  /// Sends an intent from `origin` through the middleware, if any, to the reducer.
  @_alwaysEmitIntoClient
  func dispatch(_ intent: any Intent, from origin: Origin?) {
    let thread = currentThread()
    if let middleware {
      pass(intent, through: middleware, from: origin, on: thread)
    } else {
      commit(intent, from: origin, on: thread)
    }
  }
}

// MARK: - Commit, under the lock

extension Store {
  /// Reduces an intent, and delivers the consequences.
  ///
  /// If its origin is canceled, the intent is dropped (G11). If `perform` waits for its origin,
  /// everything that the intent causes is waited for too.
  @_alwaysEmitIntoClient
  func commit(_ intent: any Intent, from origin: Origin?, on thread: ThreadID) {
    let next = core.withLock(
      by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }
    ) { core -> AfterUnlock in
      if origin?.isCancelled == true { return AfterUnlock() }
      commit(intent, from: origin, in: &core, by: thread)
      return core.runtime.afterUnlock(on: thread)
    }
    finish(next, on: thread)
  }

  /// Reduces an intent, and enqueues what follows from it.
  @_alwaysEmitIntoClient @inline(__always)
  func commit(
    _ intent: any Intent, from origin: Origin?, in core: inout Core<State>, by thread: ThreadID
  ) {
    if let company = core.company.map(Unmanaged.passUnretained) {
      return commit(intent, from: origin, in: &core, with: company, by: thread)
    }
    let effects = reduce(intent, from: origin, &core, by: thread)
    enqueue(effects, needsCause: false, in: origin?.scope, &core, by: thread)
  }

  /// The same in a store with companions or lasting effects.
  ///
  /// Companions' entries come before the commit's deliveries, and new lasting effects after them.
  ///
  /// The unmanaged reference is sound because the core keeps its company.
  @_alwaysEmitIntoClient @inline(never)
  func commit(
    _ intent: any Intent, from origin: Origin?, in core: inout Core<State>,
    with company: Unmanaged<Company<State>>, by thread: ThreadID
  ) {
    company._withUnsafeGuaranteedRef { company in
      var before = company.asksForBefore ? core.state : nil
      let effects = reduce(intent, from: origin, &core, by: thread)
      core.runtime.effects.noteCommit()
      guard let number = company.number() else { return core.runtime.dropMuted(effects) }
      let new = NewCommit(
        number: number, cause: origin?.cause ?? .outside, effects: effects,
        lasting: company.lasting == nil ? nil : core.updateLastingEffects(of: company))
      company.forEach { $0.begin(intent, new, &before, &core.state, &core.runtime, thread) }
      let needsCause = !company.companions.isEmpty
      enqueue(new.effects, needsCause: needsCause, in: origin?.scope, &core, by: thread)
      if !company.parts.isEmpty { core.endEffectsOfMissingParts() }
      if company.needsEnds || !core.runtime.effects.news.isEmpty {
        let news = core.runtime.effects.takeNews()
        company.forEach { $0.end(intent, new, news, &core.state, &core.runtime, thread) }
      }
      if new.lasting != nil { core.enqueueLastingEffects(of: company, by: thread) }
    }
  }

  @_alwaysEmitIntoClient @inline(__always)
  func reduce(
    _ intent: any Intent, from origin: Origin?, _ core: inout Core<State>, by thread: ThreadID
  ) -> [any Effect] {
    let check = IntentCheck(on: thread)
    let effects = reducer(&core.state, intent)
    let problem = check.problem(
      with: intent, of: origin?.part, isReply: origin?.isOfEffect == true)
    if let problem { core.runtime.effects.report(problem) }
    return effects
  }
}

// MARK: - Enqueue, under the lock

extension Store {
  /// Enqueues what a commit causes: first its notifications, then its effects (G3).
  @_alwaysEmitIntoClient @inline(__always)
  func enqueue(
    _ effects: [any Effect], needsCause: Bool, in scope: PerformScope?, _ core: inout Core<State>,
    by thread: ThreadID
  ) {
    if !core.subscribers.slots.isEmpty { core.notify(by: thread) }
    if effects.isEmpty && scope == nil { return }
    enqueueEffects(effects, needsCause: needsCause, in: scope, &core, by: thread)
  }

  /// Not inlined, because most commits have no effects.
  @_alwaysEmitIntoClient @inline(never)
  func enqueueEffects(
    _ effects: [any Effect], needsCause: Bool, in scope: PerformScope?, _ core: inout Core<State>,
    by thread: ThreadID
  ) {
    if !effects.isEmpty {
      if core.runtime.host == nil { prepareHost(for: effects, in: &core) }
      core.runtime.enqueue(effects, needsCause: needsCause, in: scope, by: thread)
    }
    if let scope {
      let mayBeNotified = needsCause || !core.subscribers.slots.isEmpty
      core.runtime.enqueueEnd(of: scope, after: mayBeNotified, by: thread)
    }
  }
}

extension Core {
  /// Enqueues calls to the subscribers whose value has changed.
  ///
  /// The unmanaged reference saves the retain and release that are half the cost of an idle
  /// subscriber. It is sound because the array holds the object and can't change meanwhile.
  @_alwaysEmitIntoClient
  mutating func notify(by thread: ThreadID) {
    for index in subscribers.slots.indices {
      guard let subscriber = subscribers.slots[index].map(Unmanaged.passUnretained) else {
        continue
      }
      subscriber._withUnsafeGuaranteedRef { $0.enqueueIfChanged($0, &self, thread) }
    }
  }
}

extension StoreRuntime {
  /// Enqueues the effects of a commit, in order.
  ///
  /// - Parameters:
  ///   - emitted: the effects that the reducer returned.
  ///   - needsCause: whether intents must know the effect that dispatched them.
  ///   - scope: the scope that includes everything the effects cause, if any.
  ///   - thread: the calling one.
  @usableFromInline
  mutating func enqueue(
    _ emitted: [any Effect], needsCause: Bool, in scope: PerformScope?, by thread: ThreadID
  ) {
    effects.noteCommit()
    if !effects.isOpen { return enqueueNothing(of: emitted) }
    var keepsAll = true
    for index in emitted.indices {
      let effect = emitted[index]
      let route = isScheduling(effect) ? nil : route(for: effect)
      if let route, route.isSync, !needsCause, scope == nil {
        keepsAll = keepsAll && !route.handlers.isEmpty
        if !route.handlers.isEmpty { outbox.append(.effect(effect, route.handlers), by: thread) }
        continue
      }
      let cause = needsCause ? Cause.effect(index, ofCommit: company?.commits ?? 0) : nil
      let isKept =
        if let route {
          enqueue(effect, to: route, as: cause, in: scope, by: thread)
        } else {
          enqueueScheduling(effect, as: cause, in: scope, by: thread)
        }
      keepsAll = keepsAll && isKept
    }
    if !keepsAll { effects.release(emitted) }
  }

  /// Drops the effects of a commit of which nothing is delivered or recorded; cancellations act
  /// nevertheless (G11).
  @usableFromInline
  mutating func dropMuted(_ emitted: [any Effect]) {
    for effect in emitted {
      if let cancellation = exact(effect, as: CancelEffects.self) { effects.cancel(cancellation) }
    }
    effects.release(emitted)
  }

  /// Drops a commit's effects after a shutdown, which leaves those that must happen to the next
  /// process; cancellations act nevertheless.
  private mutating func enqueueNothing(of emitted: [any Effect]) {
    for index in emitted.indices {
      if let cancellation = exact(emitted[index], as: CancelEffects.self) {
        effects.cancel(cancellation)
      } else if let log, let host, log.mustHappen?(plainEffect(emitted[index])) == true {
        let cause = Cause.effect(index, ofCommit: company?.commits ?? 0)
        let scheduled = exact(emitted[index], as: ScheduledEffect.self)
        if let scheduled, !effects.keepsLeftover(scheduled, from: cause) { continue }
        host.add(
          UnfinishedEffect(effect: emitted[index], cause: cause, emitted: log.now), to: &effects)
      }
    }
    effects.release(emitted)
  }

  /// Keeps a perform scope until a commit's other deliveries have been made; its effects keep it too.
  ///
  /// - Parameters:
  ///   - scope: the scope.
  ///   - hasDeliveries: whether there may be such deliveries. If they are posted, the scope waits for
  ///     a body even if there are none.
  ///   - thread: the calling one.
  @usableFromInline
  mutating func enqueueEnd(
    of scope: PerformScope, after hasDeliveries: Bool, by thread: ThreadID
  ) {
    if !hasDeliveries && outbox.isImmediate { return }
    outbox.append(.mark { withExtendedLifetime(scope) {} }, by: thread)
  }

  /// Enqueues an effect that has a policy or a part, or that sends an intent; a `CancelEffects` cancels
  /// others instead.
  ///
  /// - Returns: whether the outbox keeps the effect as it was emitted.
  private mutating func enqueueScheduling(
    _ emitted: any Effect, as cause: Cause?, in scope: PerformScope?, by thread: ThreadID
  ) -> Bool {
    if let cancellation = exact(emitted, as: CancelEffects.self) {
      effects.cancel(cancellation)
      return false
    }
    let scheduled = exact(emitted, as: ScheduledEffect.self)
    let schedule = scheduled.map { Schedule(id: $0.key, policy: $0.policy) }
    let unscheduled = scheduled?.effect ?? emitted
    let part = exact(unscheduled, as: PartEffect.self)
    let effect = part?.effect ?? unscheduled
    let route = isExact(effect, Send.self) ? Send.route : route(for: effect)
    if let part, route.isSync, schedule == nil, cause == nil, scope == nil {
      if route.handlers.isEmpty { return false }
      let origin = Origin(cause: .outside, host: host, part: part)
      outbox.append(.partEffect(origin, route.handlers), by: thread)
      return true
    }
    let isEnqueued = enqueue(
      effect, schedule, of: part, to: route, as: cause, in: scope, by: thread)
    return isEnqueued && schedule == nil && part != nil
  }

  /// Enqueues the run of an effect, as its policy says.
  ///
  /// - Returns: whether it has entered the outbox.
  private mutating func enqueue(
    _ effect: any Effect, _ schedule: Schedule? = nil, of part: PartEffect? = nil, to route: Route,
    as cause: Cause?, in scope: PerformScope?, by thread: ThreadID
  ) -> Bool {
    guard let host else { return false }
    let run = EffectRun(
      effect, schedule, of: part, to: route, as: cause ?? .outside, in: scope, by: host,
      mustHappen: company?.log?.mustHappen?(effect) ?? false)
    if let schedule {
      if !effects.emit(run, as: schedule) { return false }
    } else if run.isRegistered {
      effects.add(run, to: part.map { effects.group(of: $0.keyOfUnscheduled) })
    }
    outbox.append(.turn(run), by: thread)
    return true
  }

  /// The handlers of an effect, of which the lack is a problem.
  private mutating func route(for effect: any Effect) -> Route {
    let route = handlers.route(for: effect)
    if !route.isHandled { reportUnhandled(effect) }
    return route
  }
}

// MARK: - Finish, unlocked

/// The work of a caller that has unlocked its store: first the deferred work, then deliveries.
@usableFromInline
struct AfterUnlock: Sendable {
  @usableFromInline var hasDeferred = false

  /// Makes the deliveries, if the caller does.
  ///
  /// Sound: the caller holds the store, which keeps the drainer.
  @usableFromInline nonisolated(unsafe) var drainer: Unmanaged<Drainer>?

  @_alwaysEmitIntoClient var drains: Bool { drainer != nil }

  @_alwaysEmitIntoClient
  init() {}
}

extension StoreRuntime {
  @_alwaysEmitIntoClient @inline(__always)
  mutating func afterUnlock(on thread: ThreadID) -> AfterUnlock {
    outbox.queued.isEmpty && effects.deferred.isEmpty && effects.due.isEmpty
      && effects.news.isEmpty && waiters == nil ? AfterUnlock() : takeWork(on: thread)
  }

  /// ``afterUnlock(on:)`` where there may be some; it also enqueues what is due, and companions' news.
  @usableFromInline
  mutating func takeWork(on thread: ThreadID) -> AfterUnlock {
    var next = AfterUnlock()
    if !effects.due.isEmpty {
      for run in effects.due { outbox.append(.turn(run), by: thread) }
      effects.due.removeAll()
    }
    if !effects.news.isEmpty { passOnNews(by: thread) }
    checkForGrowingOutbox()
    if waiters != nil { completeWaiters() }
    next.hasDeferred = deferToThread(thread)
    next.drainer = outbox.beginDraining(on: thread)
    return next
  }

  /// Leaves deferred work to the calling thread, which finishes it after unlocking.
  @usableFromInline @inline(__always)
  mutating func deferToThread(_ thread: ThreadID) -> Bool {
    if effects.deferred.isEmpty && effects.deferred.completions.isEmpty { return false }
    context(of: thread).take(&effects.deferred)
    return true
  }
}

extension Store {
  @_alwaysEmitIntoClient
  func finish(_ next: AfterUnlock, on thread: ThreadID) {
    if next.hasDeferred { finishDeferred(on: thread) }
    guard let drainer = next.drainer else { return }
    if delivery.isWithinCall { drain(by: drainer, on: thread) } else { post() }
  }
}

// MARK: - Drain

extension Store {
  /// Delivers until the outbox is empty, or until the call reaches its limit of foreign deliveries:
  /// then another thread continues (G12).
  @_alwaysEmitIntoClient
  func drain(by drainer: Unmanaged<Drainer>, on thread: ThreadID) {
    while drainer._withUnsafeGuaranteedRef({ $0.deliver() }) {
      let (goesOn, hasDeferred) = core.withLock { $0.runtime.refill(on: thread) }
      if hasDeferred { finishDeferred(on: thread) }
      if !goesOn { return }
    }
    handOver()
  }

  /// Leaves the rest of a delivery to another thread.
  @usableFromInline
  func handOver() {
    delivery.elsewhere { self.resumeDraining() }
  }

  /// Continues a delivery that has begun.
  func resumeDraining() {
    let thread = currentThread()
    let drainer = core.withLock { $0.runtime.outbox.resumeDraining(on: thread) }
    drain(by: drainer, on: thread)
  }
}

extension StoreRuntime {
  /// Ends a delivered batch, and takes the next one.
  ///
  /// - Returns: whether there is one, and whether work was deferred.
  @usableFromInline
  mutating func refill(on thread: ThreadID) -> (goesOn: Bool, hasDeferred: Bool) {
    let goesOn = outbox.refill()
    if goesOn { checkForEndlessDelivery() } else if waiters != nil { completeWaiters() }
    return (goesOn, deferToThread(thread))
  }
}
