/// The part of the guarded data that doesn't depend on the type of the state.
@usableFromInline
struct PendingWork: Sendable {
  @usableFromInline var handlers = Handlers()
  @usableFromInline var outbox: Outbox
  @usableFromInline var effects = EffectEngine()

  /// Calls the handlers of tracked effects; made with the first handler or scheduled effect.
  @usableFromInline var runner: EffectRunner?

  /// The calls that wait; made with the first one.
  @usableFromInline var waiters: Waiters?

  /// The number of the latest observed commit; others are not counted.
  @usableFromInline var commits = 0

  /// Passes effects' events to monitors, if any monitor watches effects.
  @usableFromInline var watchEffect: (@Sendable (EffectEvent) -> Void)?

  /// The calls on the main actor; made with the first subscriber or handler there.
  var mainActorCalls: MainActorCalls?

  @usableFromInline var log: (any CommitLog)?

  /// The types of the latest intents, while a delivery that doesn't end is traced.
  @usableFromInline var trace: [String]?

  @usableFromInline
  init(outbox: Outbox) {
    self.outbox = outbox
  }

  /// Whether nothing is pending or in flight.
  var isIdle: Bool { outbox.isIdle && effects.isIdle }
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

extension PendingWork {
  /// Lets the log, if any, write its next record before later entries are delivered.
  @usableFromInline
  mutating func enqueueRecord(by thread: ThreadID) {
    if let log { outbox.append(.record(log), by: thread) }
  }

  /// Passes on effects' events: to the log if they must happen, and to monitors that watch effects.
  @usableFromInline
  mutating func enqueueEvents(ofCommit isOfCommit: Bool, by thread: ThreadID) {
    let over = effects.events.filter(\.isDone).map(\.cause)
    if !over.isEmpty, log?.append(over: over, isOfLast: isOfCommit) == true {
      enqueueRecord(by: thread)
    }
    for event in effects.events where event.isWatched {
      outbox.append({ [watchEffect] in watchEffect?(event) }, by: thread)
    }
    effects.events = []
  }
}

extension PendingWork {
  /// Adds a waiter for a condition; nil if that is met.
  mutating func wait(_ waiter: Waiter? = nil, until condition: Waiters.Condition) -> Waiter? {
    if isMet(condition) { return nil }
    let (waiter, waiters) = (waiter ?? Waiter(), waiters ?? Waiters())
    self.waiters = waiters
    waiters.add(waiter, until: condition)
    return waiter
  }

  /// Waits for all pending entries and calls in flight; nil if there are none.
  mutating func waitForDeliveries(by thread: ThreadID) -> Waiter? {
    if outbox.isEmpty && !outbox.isDraining { return waitForCalls() }
    return wait(until: .mark(outbox.appendMark(by: thread)))
  }

  /// Waits for the running body and the calls in flight; nil if there are none.
  mutating func waitForRunningBody() -> Waiter? {
    outbox.takenCount == 0 ? waitForCalls() : wait(until: .bodies(outbox.endedBodies + 1))
  }

  private mutating func waitForCalls(_ waiter: Waiter? = nil) -> Waiter? {
    wait(waiter, until: .calls(outbox.calls.last))
  }

  /// Removes a waiter.
  ///
  /// - Returns: whether it was still waiting.
  mutating func remove(_ waiter: Waiter) -> Bool {
    let isWaiting = waiters?.remove(waiter) == true
    if waiters?.isEmpty == true { waiters = nil }
    return isWaiting
  }

  mutating func completeWaiters() {
    guard let waiters else { return }
    for kind in waiters.lists.indices {
      while let first = waiters.lists[kind].first, let condition = first.condition, isMet(condition)
      {
        _ = waiters.remove(first)
        if condition.awaitsDeliveries, waitForCalls(first) != nil { continue }
        effects.deferred.append(.complete(first.completion))
      }
    }
    if waiters.isEmpty { self.waiters = nil }
  }

  private func isMet(_ condition: Waiters.Condition) -> Bool {
    switch condition {
    case .mark(let mark): mark <= outbox.passedMarks
    case .bodies(let count): count <= outbox.endedBodies
    case .calls(let last): last < outbox.calls.first
    case .settled: isIdle
    case .ended: effects.hasEnded
    }
  }
}
