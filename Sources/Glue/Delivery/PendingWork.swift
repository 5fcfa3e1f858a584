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

  /// The log that records commits, if any.
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
