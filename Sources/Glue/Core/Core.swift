/// What a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var state: State
  @usableFromInline var subscribers: [Subscriber<State>] = []
  @usableFromInline var handlers: [Handling] = []
  @usableFromInline var outbox: Outbox

  /// Whether there are handlers, and the store has not been shut down.
  @usableFromInline var takesEffects = false
  var isShutDown = false

  /// What runs effects that are scheduled, have tasks, or are waited for; made when first needed.
  @usableFromInline var runner: EffectRunner?

  /// Those who wait until nothing is going on.
  @usableFromInline var settling: [Completion] = []

  /// How many intents were reduced, where monitors are told of them.
  var commits = 0

  @inlinable
  init(state: State, outbox: Outbox) {
    self.state = state
    self.outbox = outbox
  }

  @usableFromInline
  mutating func add(_ handler: Handling) {
    handlers.append(handler)
    takesEffects = !isShutDown
  }

  /// Queues what a commit has caused: first its notifications, then its effects (G3).
  @inlinable
  mutating func queueDeliveries(
    of effects: [any Effect], by thread: ThreadID, for store: Store<State>
  ) {
    notify(by: thread)
    if effects.isEmpty || !takesEffects { return }
    if runner != nil || effects.contains(where: isScheduling) {
      return queueRuns(of: effects, by: thread, for: store)
    }
    for effect in effects { outbox.append(effect, to: handlers, by: thread) }
  }

  /// Queues the calls to the subscribers whose value has changed.
  ///
  /// The unmanaged reference saves the retain and release that are half the cost of an idle
  /// subscriber. It is sound because the array, which nobody can change meanwhile, holds the
  /// object.
  @inlinable
  mutating func notify(by thread: ThreadID) {
    for index in subscribers.indices {
      Unmanaged.passUnretained(subscribers[index])._withUnsafeGuaranteedRef {
        $0.examine(state, &outbox, thread)
      }
    }
  }
}

/// A subscription as the store sees it.
@usableFromInline
final class Subscriber<State: Sendable>: Sendable {
  @usableFromInline let liveness: Liveness

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
