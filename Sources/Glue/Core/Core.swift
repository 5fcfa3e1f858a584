/// What a store's lock guards.
@usableFromInline
struct Core<State: Sendable>: ~Copyable {
  @usableFromInline var state: State
  @usableFromInline var subscribers: [Subscriber<State>] = []
  @usableFromInline var handlers: [Handling] = []
  @usableFromInline var outbox: Outbox

  @inlinable
  init(state: State, outbox: Outbox) {
    self.state = state
    self.outbox = outbox
  }

  /// Queues what a commit has caused: first its notifications, then its effects (G3).
  ///
  /// The unmanaged reference saves the retain and release that are half the cost of an idle
  /// subscriber. It is sound because the array, which nobody can change meanwhile, holds the
  /// object.
  @inlinable
  mutating func queueDeliveries(of effects: [any Effect], by thread: ThreadID) {
    for index in subscribers.indices {
      Unmanaged.passUnretained(subscribers[index])._withUnsafeGuaranteedRef {
        $0.examine(state, &outbox, thread)
      }
    }
    if handlers.isEmpty { return }
    for effect in effects {
      outbox.append({ [handlers] in for handle in handlers { handle(effect) } }, by: thread)
    }
  }
}

/// An effect handler's method, with the handler and its dispatch callback bound.
@usableFromInline
typealias Handling = @Sendable (any Effect) -> Void

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
