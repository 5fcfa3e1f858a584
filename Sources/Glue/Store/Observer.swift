import Synchronization

/// Whether a subscription still is one.
///
/// It is asked as a call starts, with no lock held, so `cancel()` waits for nobody (G8):
///
///     who delivers                      another thread
///     finds it live, begins the call
///                                       cancel() returns
///     the call goes on, for it had begun
///     finds it ended, and drops the next call
///
/// A subscription holds this instead of its observer, which it must not keep alive. A weak
/// reference to the observer would do, but make each of its retains and releases several times as
/// slow.
///
/// `@unchecked Sendable` is sound because `slot` is used under the store's lock alone.
@usableFromInline
final class Liveness: @unchecked Sendable {
  private let isLive = Atomic(true)

  /// Where the subscriber is among those of its store.
  @usableFromInline var slot = 0

  /// Whether calls may start.
  var mayCall: Bool { isLive.load(ordering: .acquiring) }

  /// Lets no further call start.
  ///
  /// - Returns: whether one could have until now.
  func end() -> Bool {
    isLive.exchange(false, ordering: .acquiringAndReleasing)
  }
}

/// A subscription as the store sees it.
///
/// `@unchecked Sendable` is sound because it does not change, and what its subclass adds says so
/// for itself.
@usableFromInline
class Subscriber<State: Sendable>: Slotted, @unchecked Sendable {
  @usableFromInline final let liveness: Liveness

  @usableFromInline final var slot: Int {
    get { liveness.slot }
    set { liveness.slot = newValue }
  }

  /// Selects a subscriber's value and, if that is to be told, queues the call.
  ///
  /// It is no method, for those of a generic class are not specialised; and it gets no state, for
  /// a function of a value whose type is generic is wrapped, at the cost of an allocation.
  @usableFromInline
  typealias Examination = @Sendable (Subscriber, inout Core<State>, ThreadID) -> Void

  @usableFromInline final let examination: Examination

  init(_ liveness: Liveness, _ examination: @escaping Examination) {
    self.liveness = liveness
    self.examination = examination
  }

  @inlinable
  final func examine(_ core: inout Core<State>, by thread: ThreadID) {
    examination(self, &core, thread)
  }
}

/// A subscriber with its handler and its last value, which the queued calls share.
///
/// `@unchecked Sendable` is sound because `last` is used under the store's lock alone, and
/// `handler`, which was sent here, by deliveries alone, which never overlap: a store's (G3), or
/// those of a serial queue.
@usableFromInline
final class Observer<State: Sendable, Value: Sendable>: Subscriber<State>, @unchecked Sendable {
  private let handler: (Value) -> Void

  /// The value that was told last; kept only where repeats are skipped.
  ///
  /// Access is not checked for exclusivity, which would more than double the cost of an idle
  /// subscriber. That is sound because nothing gets here twice at a time: other threads wait for
  /// the lock, and an `==` that tries is stopped as misuse (G7).
  @exclusivity(unchecked) @usableFromInline var last: Value?

  @usableFromInline
  init(
    handler: sending @escaping (Value) -> Void, movedBy move: Move?,
    _ examination: @escaping Examination
  ) {
    let liveness = Liveness()
    if let move {
      nonisolated(unsafe) let handler = handler  // sound as it is in this class
      self.handler = { value in
        move { if liveness.mayCall { handler(value) } }
      }
    } else {
      self.handler = handler
    }
    super.init(liveness, examination)
  }

  /// Makes one whose handler is called on the main actor alone.
  ///
  /// The bit cast is sound because a function's isolation is no part of its representation.
  @usableFromInline
  convenience init(
    mainActorHandler handler: @escaping @MainActor (Value) -> Void, movedBy move: @escaping Move,
    _ examination: @escaping Examination
  ) {
    self.init(
      handler: unsafeBitCast(handler, to: ((Value) -> Void).self), movedBy: move, examination)
  }

  /// Queues the call that tells a value, and remembers the value as the last one.
  ///
  /// It is not inlined where values are compared, which is then faster for those that are
  /// unchanged.
  @inlinable @inline(never)
  func queue(_ value: Value, in outbox: inout Outbox, by thread: ThreadID) {
    let old = last
    last = value
    if isInert(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<(Int, Int, Int)>.size {
      return outbox.append(.value(value, tellErased), by: thread)
    }
    outbox.append({ [old] in withExtendedLifetime(old) { self.tell(value) } }, by: thread)
  }

  @usableFromInline
  func tell(_ value: Value) {
    if liveness.mayCall { handler(value) }
  }

  /// ``tell(_:)`` for a value whose type is not known where it is kept.
  @inlinable
  var tellErased: @Sendable (any Sendable) -> Void {
    { value in
      if let value = cast(value, to: Value.self) { self.tell(value) }
    }
  }
}

/// Moves a subscriber's call elsewhere.
@usableFromInline
typealias Move = @Sendable (_ call: @escaping @Sendable () -> Void) -> Void
