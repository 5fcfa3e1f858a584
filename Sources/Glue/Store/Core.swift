/// What a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var subscribers = Line<Subscriber<State>>()

  /// What removes a subscriber; there where one was added.
  @usableFromInline var removal: Removal?
  var handlers: [Handling] = []
  @usableFromInline var outbox: Outbox

  /// Whether one of the handlers is not just called within the delivery.
  var needsRuns = false

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
  var lasting: LastingEffects<State>?

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

  /// The last of all, so that the places of the others do not depend on it.
  @usableFromInline var state: State

  @inlinable
  init(state: State, outbox: Outbox) {
    self.state = state
    self.outbox = outbox
  }

  /// Whether there is anybody who takes effects.
  var takesEffects: Bool { runner != nil && effects.isOpen }

  /// Adds a handler, which also runs what lasts already.
  @usableFromInline
  mutating func add(_ handler: Handling, by thread: ThreadID) {
    handlers.append(handler)
    if !handler.isSync { needsRuns = true }
    guard let lasting else { return }
    runner?.queue(lasting.stays, for: [handler], &effects, in: &outbox, by: thread)
  }

  /// Cancels all effects, for the store is gone.
  ///
  /// - Returns: what is to be finished unlocked.
  @usableFromInline
  mutating func end() -> [Leftover] {
    effects.lookForForgottenResume()
    effects.cancelAll()
    defer { effects.leftovers = [] }
    return effects.leftovers
  }

  /// Queues what a commit has caused: first its notifications, then its effects (G3).
  ///
  /// - Returns: whether the queue keeps all effects until they are delivered.
  @inlinable
  mutating func queueDeliveries(of effects: [any Effect], by thread: ThreadID) -> Bool {
    notify(by: thread)
    return effects.isEmpty || queueEffects(effects, by: thread)
  }

  /// Queues the effects of a commit that nobody traces or waits for.
  @usableFromInline
  mutating func queueEffects(_ effects: [any Effect], by thread: ThreadID) -> Bool {
    if !takesEffects { return false }
    for (index, effect) in effects.enumerated() {
      if needsRuns || isScheduling(effect) {
        queueRuns(
          of: Array(effects[index...]), from: EffectSource(handlers: handlers), by: thread)
        return false
      }
      outbox.append(.handling(effect, handlers), by: thread)
    }
    return true
  }

  /// Queues effects that are more than calls of synchronous handlers.
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
      subscriber._withUnsafeGuaranteedRef { $0.examine(&self, by: thread) }
    }
  }
}
