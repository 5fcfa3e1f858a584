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

  /// Selects a subscriber's value and, if it must be delivered, enqueues the call.
  ///
  /// A closure, because methods of generic classes aren't specialized across modules. It gets no
  /// state, because a function of a value of a generic type is wrapped, at the cost of an
  /// allocation.
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
    _ examination: @escaping Examination
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
    super.init(liveness, examination)
  }

  /// Creates one whose handler is called on the main actor alone.
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

  /// Enqueues the call with a value, and keeps the value as the last one.
  ///
  /// Not inlined where values are compared, which is faster for unchanged ones.
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

  /// ``tell(_:)`` for a value whose static type is unknown where it is kept.
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

extension Store {
  /// Notifies a subscriber of each value that differs from the one before.
  @inlinable
  func tellingChanges<Value: Sendable & Equatable>(
    of selector: @escaping @Sendable (State) -> Value
  ) -> Subscriber<State>.Examination {
    { subscriber, core, thread in
      let observer = unsafeDowncast(subscriber, to: Observer<State, Value>.self)
      let value = selector(core.state)
      if let last = observer.last, last == value {
        if !isInert(Value.self) { core.work.effects.deferred.append(.release(value)) }
        return
      }
      observer.queue(value, in: &core.work.outbox, by: thread)
    }
  }

  /// Notifies a subscriber of the value of each commit.
  @inlinable
  func tellingAll<Value: Sendable>(
    of selector: @escaping @Sendable (State) -> Value
  ) -> Subscriber<State>.Examination {
    { subscriber, core, thread in
      let observer = unsafeDowncast(subscriber, to: Observer<State, Value>.self)
      let value = selector(core.state)
      core.work.outbox.append({ observer.tell(value) }, by: thread)
    }
  }
}

/// Whether releasing a value of this type runs no user code.
@inlinable
func isInert<Value>(_ type: Value.Type) -> Bool {
  _isPOD(type) || type == String.self
}
