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
/// `@unchecked Sendable` is sound because `place` is used under the store's lock alone.
@usableFromInline
final class Liveness: @unchecked Sendable {
  private let isLive = Atomic(true)

  /// Where the subscriber is among those of its store.
  var place = 0

  @usableFromInline
  init() {}

  /// Whether calls may start.
  var mayCall: Bool { isLive.load(ordering: .acquiring) }

  /// Lets no further call start.
  ///
  /// - Returns: whether one could have until now.
  @usableFromInline
  func end() -> Bool {
    isLive.exchange(false, ordering: .acquiringAndReleasing)
  }
}

/// A subscription's handler and its last value: what the store and the queued calls share.
///
/// `@unchecked Sendable` is sound because `last` is used under the store's lock alone, and
/// `handler`, which was sent here, by deliveries alone, which never overlap: a store's (G3), or
/// those of a serial queue.
@usableFromInline
final class Observer<Value: Sendable>: @unchecked Sendable {
  @usableFromInline let liveness = Liveness()
  private let handler: (Value) -> Void
  private let mover: Mover?

  /// The value that was told last; kept only where repeats are skipped.
  ///
  /// Access is not checked for exclusivity, which would more than double the cost of an idle
  /// subscriber. That is sound because nothing gets here twice at a time: other threads wait for
  /// the lock, and an `==` that tries is stopped as misuse (G7).
  @exclusivity(unchecked) @usableFromInline var last: Value?

  @usableFromInline
  init(handler: sending @escaping (Value) -> Void, movedBy mover: Mover?) {
    self.handler = handler
    self.mover = mover
  }

  /// Makes one whose handler is called on the main actor alone.
  ///
  /// The bit cast is sound because a function's isolation is no part of its representation.
  @usableFromInline
  init(mainActorHandler handler: @escaping @MainActor (Value) -> Void, movedBy mover: Mover) {
    self.handler = unsafeBitCast(handler, to: ((Value) -> Void).self)
    self.mover = mover
  }

  /// Queues the call that tells a value, and remembers the value as the last one.
  ///
  /// It is not inlined where values are compared, which is then faster for those that are
  /// unchanged.
  @inlinable @inline(never)
  func queue(
    _ value: Value, telling tell: @escaping @Sendable (any Sendable) -> Void,
    in outbox: inout Outbox, by thread: ThreadID
  ) {
    let old = last
    last = value
    if isInert(Value.self) && MemoryLayout<Value>.size <= MemoryLayout<(Int, Int, Int)>.size {
      return outbox.append(.telling(value, tell), by: thread)
    }
    outbox.append({ [old] in withExtendedLifetime(old) { self.tell(value) } }, by: thread)
  }

  /// Calls the handler, here or where calls are moved.
  @usableFromInline
  func tell(_ value: Value) {
    guard let mover else { return callIfLive(value) }
    mover.move { self.callIfLive(value) }
  }

  /// ``tell(_:)`` for a value whose type is not known where it is kept.
  @inlinable
  var tellErased: @Sendable (any Sendable) -> Void {
    { value in
      if let value = cast(value, to: Value.self) { self.tell(value) }
    }
  }

  private func callIfLive(_ value: Value) {
    if liveness.mayCall { handler(value) }
  }
}

/// Has a subscriber's calls made elsewhere.
@usableFromInline
struct Mover: Sendable {
  let move: @Sendable (_ call: @escaping @Sendable () -> Void) -> Void
}
