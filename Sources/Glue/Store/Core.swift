/// What a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var state: State
  @usableFromInline var subscribers = Line<Subscriber<State>>()
  @usableFromInline var handlers: [Handling] = []
  @usableFromInline var outbox: Outbox

  /// Whether one of the handlers is not just called within the delivery.
  @usableFromInline var needsRuns = false

  /// The effects that are scheduled, have tasks, or are waited for.
  @usableFromInline var effects = EffectEngine()

  /// What calls their handlers; there where handlers are.
  @usableFromInline var runner: EffectRunner?

  /// Tells those who watch effects what becomes of them.
  var tellOfEffect: (@Sendable (EffectEvent) -> Void)?

  /// Whether somebody was looked for who runs the effects that last in the first state.
  var hasLookedAtFirstStays = false

  /// Whether more is to be done of a commit than to queue its deliveries.
  @usableFromInline var isObserved = false

  /// The effects that last; nil where none do.
  @usableFromInline var lasting: LastingEffects<State>?

  /// The calls that the main actor takes; there where somebody is to be called on it.
  var mainActorCalls: MainActorCalls?

  /// What records the commits, if anything does.
  @usableFromInline var journal: JournalLink<State>?

  /// Whether nothing is told to the world any more, as the journal is closed.
  @usableFromInline var isMute = false

  /// Those who wait until nothing is going on.
  @usableFromInline var settling: [Completion] = []

  /// How many intents were reduced.
  @usableFromInline var commits = 0

  /// The types of the latest intents, while a delivery that does not end is looked into.
  @usableFromInline var trace: [String]?

  @inlinable
  init(state: State, outbox: Outbox) {
    self.state = state
    self.outbox = outbox
  }

  /// Whether there is anybody who takes effects.
  @inlinable var takesEffects: Bool { runner != nil && effects.isOpen }

  /// Adds a handler, which also runs what lasts already.
  @usableFromInline
  mutating func add(_ handler: Handling, by thread: ThreadID) {
    handlers.append(handler)
    if !handler.isSync { needsRuns = true }
    guard let lasting else { return }
    runner?.queue(lasting.stays, for: [handler], &effects, in: &outbox, by: thread)
  }

  /// Queues what a commit has caused: first its notifications, then its effects (G3).
  ///
  /// - Returns: whether the queue keeps all effects until they are delivered.
  @inlinable
  mutating func queueDeliveries(of effects: [any Effect], by thread: ThreadID) -> Bool {
    notify(by: thread)
    if effects.isEmpty { return true }
    if !takesEffects { return false }
    for (index, effect) in effects.enumerated() {
      if needsRuns || isScheduling(effect) {
        queueRuns(of: Array(effects[index...]), by: thread)
        return false
      }
      outbox.append(.handling(effect, handlers), by: thread)
    }
    return true
  }

  /// Queues effects that are more than calls of synchronous handlers.
  @usableFromInline
  mutating func queueRuns(of effects: [any Effect], by thread: ThreadID) {
    queueRuns(of: effects, from: EffectSource(handlers: handlers), by: thread)
  }

  @usableFromInline
  mutating func queueRuns(of emitted: [any Effect], from source: EffectSource, by thread: ThreadID)
  {
    runner?.queue(emitted, of: source, &effects, in: &outbox, by: thread)
  }

  /// Queues the calls to the subscribers whose value has changed.
  ///
  /// The unmanaged reference saves the retain and release that are half the cost of an idle
  /// subscriber. It is sound because the array, which nobody can change meanwhile, holds the
  /// object.
  @inlinable
  mutating func notify(by thread: ThreadID) {
    for index in subscribers.places.indices {
      guard let subscriber = subscribers.places[index].map(Unmanaged.passUnretained) else {
        continue
      }
      subscriber._withUnsafeGuaranteedRef { $0.examine(state, &outbox, thread) }
    }
  }
}

/// A subscription as the store sees it.
@usableFromInline
final class Subscriber<State: Sendable>: Placed, Sendable {
  @usableFromInline let liveness: Liveness

  @usableFromInline var place: Int {
    get { liveness.place }
    set { liveness.place = newValue }
  }

  /// Selects the observer's value and, if that is to be told, queues the call.
  @usableFromInline let examine: @Sendable (State, inout Outbox, ThreadID) -> Void

  @inlinable
  init(
    _ liveness: Liveness,
    examine: @escaping @Sendable (State, inout Outbox, ThreadID) -> Void
  ) {
    self.liveness = liveness
    self.examine = examine
  }
}
