internal import Dispatch
public import Synchronization

/// What a chain of middleware holds instead of its store, which it must not keep alive.
@usableFromInline
final class StoreLink<State: Sendable>: Sendable {
  @usableFromInline
  enum Target: Sendable {
    case building
    case alive(Unmanaged<Store<State>>)
    case gone(last: State)
  }

  @usableFromInline let target = Guarded(Target.building)
  @usableFromInline let isBuilt = Atomic(false)

  /// The store, unless it is gone.
  ///
  /// `nonisolated(unsafe)` is sound because it is set once, before `isBuilt` says so, and not read
  /// earlier.
  @usableFromInline nonisolated(unsafe) weak var builtStore: Store<State>?

  /// The thread that makes the store, and what the others wait for.
  private let builder = currentThread()
  private let gate = DispatchSemaphore(value: 0)

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

  @inlinable
  func attach(_ store: Store<State>) {
    target.withLock { $0 = .alive(.passUnretained(store)) }
    builtStore = store
    isBuilt.store(true, ordering: .releasing)
    open()
  }

  @usableFromInline
  func open() { gate.signal() }

  /// Has a task or a thread that a middleware has started wait until the store is made.
  ///
  /// The thread that makes it cannot wait for itself, so there the program stops.
  @usableFromInline
  func waitUntilBuilt(for call: String) {
    if currentThread() == builder { stopForUseWhileBuilding(call) }
    gate.wait()
    gate.signal()
  }

  /// Keeps the last state for those who ask later; called by the store as it goes.
  func detach(last state: State) {
    target.withLock { $0 = .gone(last: state) }
  }

  @inlinable
  var store: Store<State>? {
    if !isBuilt.load(ordering: .acquiring) { waitUntilBuilt(for: "dispatch(_:) or next(_:)") }
    return builtStore
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
  var state: State {
    if !isBuilt.load(ordering: .acquiring) { waitUntilBuilt(for: "getState()") }
    return builtStore?.state ?? lastState
  }

  /// The state of a store that is gone, or is just going.
  ///
  /// The unmanaged reference is sound: while this lock is held the store cannot be gone, for it
  /// takes the lock before it goes.
  @usableFromInline
  var lastState: State {
    target.withLock { target in
      switch target {
      case .building: stopForUseWhileBuilding("getState()")
      case .alive(let store): store._withUnsafeGuaranteedRef { $0.state }
      case .gone(let last): last
      }
    }
  }
}
