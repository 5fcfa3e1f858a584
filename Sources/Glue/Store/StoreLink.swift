internal import Dispatch

/// What a chain of middleware holds instead of its store, which it must not keep alive.
@usableFromInline
final class StoreLink<State: Sendable>: Sendable {
  @usableFromInline
  enum Target: Sendable {
    case building(Building)

    /// A store, which may be just going: then only its address is left, for it is gone when it has
    /// said so here.
    case built(@Sendable () -> Store<State>?, Unmanaged<Store<State>>)
    case gone(last: State)
  }

  @usableFromInline let target = Guarded(Target.building(Building()))

  @usableFromInline
  init() {}

  /// The middleware's functions, one in the other, around the reducer.
  @inlinable
  func chain(of middleware: [Middleware<State>]) -> DispatchFunc {
    let reduce: DispatchFunc = { self.store?.commitAtEndOfChain($0) }
    return middleware.reversed().reduce(reduce) { next, middleware in
      middleware({ self.dispatch($0) }, { self.state })(next)
    }
  }

  /// Lets those go on who wait for the store.
  @inlinable
  func attach(_ store: Store<State>) {
    let old = target.withLock { target in
      defer { target = .built({ [weak store] in store }, .passUnretained(store)) }
      return target
    }
    if case .building(let building) = old { building.end() }
  }

  /// Keeps the last state for those who ask later; called by the store as it goes.
  func detach(last state: State) {
    target.withLock { $0 = .gone(last: state) }
  }

  @inlinable
  var store: Store<State>? { store(for: "dispatch(_:) or next(_:)") }

  /// The store, once it is made, unless it is gone.
  @inlinable
  func store(for call: String) -> Store<State>? {
    switch target.withLock({ $0 }) {
    case .building(let building):
      building.waitForEnd(for: call)
      return store(for: call)
    case .built(let store, _): return store()
    case .gone: return nil
    }
  }

  /// What a middleware does in a call with an intent of an effect's counts as the effect's.
  @inlinable
  func dispatch(_ intent: any Intent) {
    guard let store else { return }
    let origin = ChainCall.origin(in: ObjectIdentifier(store))
    if let work = narrowed(intent, to: AsyncWork.self) { return store.start(work, from: origin) }
    store.dispatch(intent, from: origin)
  }

  @inlinable
  var state: State { store(for: "getState()")?.state ?? lastState }

  /// The state of a store that is gone, or is just going.
  ///
  /// The unmanaged reference is sound: while this lock is held the store cannot be gone, for it
  /// takes the lock before it goes.
  @usableFromInline
  var lastState: State {
    target.withLock { target in
      switch target {
      case .building: stopForUseWhileBuilding("getState()")
      case .built(_, let store): store._withUnsafeGuaranteedRef { $0.state }
      case .gone(let last): last
      }
    }
  }
}

/// The making of a store, for which the tasks and threads that a middleware has started wait.
@usableFromInline
final class Building: Sendable {
  private let thread = currentThread()
  private let gate = DispatchSemaphore(value: 0)

  @usableFromInline
  init() {}

  @usableFromInline
  func end() { gate.signal() }

  /// Waits; the thread that makes the store cannot wait for itself, so there the program stops.
  @usableFromInline
  func waitForEnd(for call: String) {
    if currentThread() == thread { stopForUseWhileBuilding(call) }
    gate.wait()
    gate.signal()
  }
}
