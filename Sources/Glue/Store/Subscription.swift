internal import Synchronization

/// Keeps a subscriber subscribed, until you cancel or release it.
///
/// After ``cancel()`` has returned, the store starts no call to the subscriber, queued ones
/// included. A call that had begun on another thread continues; if a delivery of the same store
/// cancels, there is none (G8). Any thread may cancel, and canceling is idempotent. It never waits,
/// neither for a running call nor for other deliveries. It must not happen in a reducer (G7).
///
/// A subscription does not keep its store alive, and the store does not keep the subscription: one
/// that isn't held is canceled at once.
public final class Subscription: Sendable {
  private let liveness: Liveness
  private let removal: Removal

  @usableFromInline
  init(_ liveness: Liveness, removal: Removal) {
    self.liveness = liveness
    self.removal = removal
  }

  deinit {
    cancel()
  }

  /// Ends the subscription and releases the subscriber's closures, or leaves that to running or
  /// queued calls.
  ///
  /// A subscriber may cancel itself, and others, in its own call: none of them is called again.
  ///
  /// - Complexity: O(1), amortized.
  public func cancel() {
    if liveness.end() { removal.remove(liveness) }
  }
}

/// Removes a subscriber from its store, if that still exists.
///
/// A structure, because Swift wraps a closure that is kept as an optional in a new one at each use,
/// and each subscription would keep such a wrapper.
@usableFromInline
struct Removal: Sendable {
  fileprivate let remove: @Sendable (Liveness) -> Void

  @usableFromInline
  init(_ remove: @escaping @Sendable (Liveness) -> Void) { self.remove = remove }
}

extension Subscription: Hashable {
  /// Whether two are the same subscription.
  public static func == (a: Subscription, b: Subscription) -> Bool { a === b }

  /// Hashes the identity of the subscription.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Keeps the subscription in a set, and so subscribed for as long as it is there.
  ///
  ///     store.subscribe(selector: \.value) { print($0) }.store(in: &subscriptions)
  ///
  /// - Parameter subscriptions: where to keep it; emptying that cancels all.
  /// - Complexity: O(1), amortized.
  public func store(in subscriptions: inout Set<Subscription>) {
    subscriptions.insert(self)
  }
}

/// Whether a subscription is live.
///
/// Each call checks it at its start, with no lock held, so `cancel()` never waits (G8):
///
///     the drainer                       another thread
///     finds it live, begins the call
///                                       cancel() returns
///     the call continues: it had begun
///     finds it ended, and drops the next call
///
/// A subscription holds this instead of its observer, which it must not keep alive. A weak
/// reference to the observer would do, but from then on each retain and release of the observer
/// would be several times slower, and deliveries make them.
///
/// `@unchecked Sendable` is sound because `slot` is used under the store's lock alone.
@usableFromInline
final class Liveness: @unchecked Sendable {
  private let isLive = Atomic(true)

  /// The subscriber's slot in its store's list.
  @usableFromInline var slot = 0

  /// Whether calls may start.
  var mayCall: Bool { isLive.load(ordering: .acquiring) }

  /// Lets no further call start.
  ///
  /// - Returns: whether calls could start until now.
  func end() -> Bool {
    isLive.exchange(false, ordering: .acquiringAndReleasing)
  }
}

/// A subscription as the store sees it.
///
/// `@unchecked Sendable` is sound because it does not change, and its subclass justifies what it
/// adds.
@usableFromInline
class Subscriber<State: Sendable>: Slotted, @unchecked Sendable {
  @usableFromInline final let liveness: Liveness

  @usableFromInline final var slot: Int {
    get { liveness.slot }
    set { liveness.slot = newValue }
  }

  /// Selects a subscriber's value and, if it changed, enqueues the call.
  ///
  /// A closure, because methods of generic classes aren't specialized across modules: a method
  /// would look up types at each commit, which costs more than the comparison. It gets no state,
  /// because a kept function with a parameter of a generic type is wrapped, which allocates.
  @usableFromInline
  typealias Enqueueing = @Sendable (Subscriber, inout Core<State>, ThreadID) -> Void

  @usableFromInline final let enqueueIfChanged: Enqueueing

  init(_ liveness: Liveness, _ enqueueIfChanged: @escaping Enqueueing) {
    self.liveness = liveness
    self.enqueueIfChanged = enqueueIfChanged
  }
}

/// A subscriber with its handler and its last value, which the queued calls share.
///
/// `@unchecked Sendable` is sound because `last` is used under the store's lock alone. `handler`
/// was sent here, and only deliveries use it, which never overlap: a store's (G3), or those of a
/// serial queue.
@usableFromInline
final class Observer<State: Sendable, Value: Sendable>: Subscriber<State>, @unchecked Sendable {
  private let handler: (Value) -> Void

  /// The last value delivered; kept only if repeats are skipped.
  ///
  /// Exclusivity isn't checked, which would more than double the cost of an idle subscriber. That
  /// is sound because accesses never overlap: other threads wait for the lock, and an `==` that
  /// tries is stopped as misuse (G7).
  @exclusivity(unchecked) @usableFromInline var last: Value?

  @usableFromInline
  init(
    handler: sending @escaping (Value) -> Void, movedBy move: Move?,
    _ enqueueIfChanged: @escaping Enqueueing
  ) {
    let liveness = Liveness()
    if let move {
      nonisolated(unsafe) let handler = handler  // sound for the class's reason
      self.handler = { value in
        move { if liveness.mayCall { handler(value) } }
      }
    } else {
      self.handler = handler
    }
    super.init(liveness, enqueueIfChanged)
  }

  /// Creates one whose handler is called on the main actor alone.
  ///
  /// The bit cast is sound because a function's isolation is no part of its representation.
  @usableFromInline
  convenience init(
    mainActorHandler handler: @escaping @MainActor (Value) -> Void, movedBy move: @escaping Move,
    _ enqueueIfChanged: @escaping Enqueueing
  ) {
    self.init(
      handler: unsafeBitCast(handler, to: ((Value) -> Void).self), movedBy: move, enqueueIfChanged)
  }

  /// Enqueues the call with a value, and keeps the value as the last one.
  ///
  /// Not inlined where values are compared: it would slow down each commit that leaves the value
  /// unchanged, which most commits do.
  @_alwaysEmitIntoClient @inline(never)
  func queue(_ value: Value, in outbox: inout Outbox, by thread: ThreadID) {
    let old = last
    last = value
    if isInert(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<(Int, Int, Int)>.size {
      return outbox.append(.value(value, notifyErased), by: thread)
    }
    outbox.append(
      .closure({ [old] in withExtendedLifetime(old) { self.notify(value) } }, of: Value.self),
      by: thread)
  }

  @usableFromInline
  func notify(_ value: Value) {
    if liveness.mayCall { handler(value) }
  }

  /// ``notify(_:)`` for a value whose static type is unknown where it is kept.
  ///
  /// The bit cast is sound because only ``queue(_:in:by:)`` enqueues this closure, with such a value.
  @_alwaysEmitIntoClient
  var notifyErased: @Sendable (any Sendable) -> Void {
    { value in
      func exact<Content: Sendable>(_ value: Content) -> Value {
        unsafeBitCast(value, to: Value.self)
      }
      self.notify(exact(value))
    }
  }
}

/// Moves a subscriber's call elsewhere.
@usableFromInline
typealias Move = @Sendable (_ call: @escaping @Sendable () -> Void) -> Void

extension Store {
  /// Notifies a subscriber of each value that differs from the one before.
  @_alwaysEmitIntoClient
  func enqueueingChanges<Value: Sendable & Equatable>(
    of selector: @escaping @Sendable (State) -> Value
  ) -> Subscriber<State>.Enqueueing {
    { subscriber, core, thread in
      let observer = unsafeDowncast(subscriber, to: Observer<State, Value>.self)
      let value = selector(core.state)
      if let last = observer.last, last == value {
        if !isInert(Value.self) { core.runtime.effects.release(value) }
        return
      }
      observer.queue(value, in: &core.runtime.outbox, by: thread)
    }
  }

  /// Notifies a subscriber of the value of each commit.
  @_alwaysEmitIntoClient
  func enqueueingAll<Value: Sendable>(
    of selector: @escaping @Sendable (State) -> Value
  ) -> Subscriber<State>.Enqueueing {
    { subscriber, core, thread in
      let observer = unsafeDowncast(subscriber, to: Observer<State, Value>.self)
      let value = selector(core.state)
      core.runtime.outbox.append(.closure({ observer.notify(value) }, of: Value.self), by: thread)
    }
  }
}

/// Whether releasing a value of this type runs no user code.
@_alwaysEmitIntoClient
func isInert<Value>(_ type: Value.Type) -> Bool {
  _isPOD(type) || type == String.self
}
