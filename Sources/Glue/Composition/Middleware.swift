/// Stands between `dispatch` and the reducer, and decides what reaches it.
///
/// A middleware gets each intent and passes it on, or another one, or several, or none, at once or
/// later. What reaches the reducer is reduced by the time `next` returns, so `getState()` includes
/// it then (G2); what is dropped or delayed is not. The first one of a store gets an intent first.
///
///     let noNegatives: Middleware<AppState> = { dispatch, getState in
///       { next in
///         { intent in
///           if case AppIntent.decrement = intent, getState().value == 0 { return }
///           next(intent)
///         }
///       }
///     }
///     let store = Store(state: AppState(), reducer: reducer, middleware: [noNegatives])
///
/// - `dispatch` sends an intent through all of the chain, from its beginning. Called from the
///   middleware's own body it is a call like any other, and nests: a chain of such calls uses stack
///   for each (handlers' and subscribers' do not, G5). It is not available before the store is.
/// - `getState` reads the store's state; that of a store that is gone is its last one.
/// - `next` passes an intent on. Once the store is gone it does nothing, as `dispatch` does (G9).
///
/// A middleware runs on the thread that dispatches, so on several at once, and no lock is held: it
/// may use the store in any way, block and lock (G6). For a log, use a ``Monitor`` instead, which
/// is told of commits in their order. To wait, return a delayed effect from the reducer, or
/// dispatch an ``AsyncThunk``: the store then knows of the waiting.
public typealias Middleware<State> =
  @Sendable (_ dispatch: @escaping DispatchFunc, _ getState: @escaping @Sendable () -> State) ->
  @Sendable (_ next: @escaping DispatchFunc) -> DispatchFunc

/// What a chain of middleware holds instead of its store, which it must not keep alive.
@usableFromInline
final class StoreLink<State: Sendable>: Sendable {
  private enum Target: Sendable {
    case building
    case alive(WeakStore<State>, Unmanaged<Store<State>>)
    case gone(last: State)
  }

  private let target = Guarded(Target.building)

  @usableFromInline
  init() {}

  /// The middleware's functions, one in the other, around the reducer.
  @usableFromInline
  func chain(of middleware: [Middleware<State>]) -> DispatchFunc {
    let reduce: DispatchFunc = { self.store()?.commitAtEndOfChain($0) }
    return middleware.reversed().reduce(reduce) { next, middleware in
      middleware({ self.dispatch($0) }, { self.state() })(next)
    }
  }

  @usableFromInline
  func attach(_ store: Store<State>) {
    target.withLock { $0 = .alive(WeakStore(store: store), .passUnretained(store)) }
  }

  /// Keeps the last state for those who ask later; called by the store as it goes.
  func detach(last state: State) {
    target.withLock { $0 = .gone(last: state) }
  }

  private func dispatch(_ intent: any Intent) {
    guard let store = store() else { return }
    if let work = cast(intent, to: AsyncWork.self) { return store.start(work) }
    store.dispatch(intent)
  }

  /// The store, unless it is gone.
  private func store() -> Store<State>? {
    let target = target.withLock { $0 }
    switch target {
    case .building: stopForUseWhileBuilding("dispatch(_:) or next(_:)")
    case .alive(let weak, _): return weak.store
    case .gone: return nil
    }
  }

  /// The store's state.
  ///
  /// The unmanaged reference is sound: while this lock is held the store cannot be gone, for it
  /// takes the lock before it goes.
  private func state() -> State {
    let state: State? = target.withLock { target in
      switch target {
      case .building: nil
      case .alive(_, let store): store._withUnsafeGuaranteedRef { $0.state }
      case .gone(let last): last
      }
    }
    guard let state else { stopForUseWhileBuilding("getState()") }
    return state
  }
}

private struct WeakStore<State: Sendable>: Sendable {
  weak let store: Store<State>?
}

extension Store {
  /// Sends an intent that comes from `origin` through the middleware, if any, to the reducer.
  @usableFromInline
  func dispatch(_ intent: any Intent, from origin: Origin?) {
    guard let chain else { return commit(intent, from: origin) }
    guard let origin else { return chain(intent) }
    if origin.isCancelled { return }
    let call = ChainCall(of: ObjectIdentifier(self), from: origin)
    ChainCall.$current.withValue(call) { chain(intent) }
    call.end()
  }

  /// Reduces what the last middleware passed on.
  ///
  /// What is delivered meanwhile is not part of the chain's call.
  fileprivate func commitAtEndOfChain(_ intent: any Intent) {
    let origin = ChainCall.origin(in: ObjectIdentifier(self))
    if ChainCall.current == nil { return commit(intent, from: origin) }
    ChainCall.$current.withValue(nil) { commit(intent, from: origin) }
  }

  fileprivate func start(_ work: AsyncWork) {
    start(work, from: ChainCall.origin(in: ObjectIdentifier(self)))
  }
}

/// A call of a store's chain of middleware with an intent that has an origin.
///
/// The chain's functions cannot pass the origin on, so it takes the way of a task-local value,
/// which also works on threads that run no task.
private final class ChainCall: Sendable {
  @TaskLocal static var current: ChainCall?

  private let store: ObjectIdentifier
  private let origin: Origin
  private let thread = currentThread()
  private let isOver = Guarded(false)

  init(of store: ObjectIdentifier, from origin: Origin) {
    self.store = store
    self.origin = origin
  }

  func end() { isOver.withLock { $0 = true } }

  /// The origin of what is now dispatched on this thread, if that is part of a chain's call.
  ///
  /// Tasks made in a call inherit it, but are no part of it.
  static func origin(in store: ObjectIdentifier) -> Origin? {
    guard let call = current, call.store == store, call.thread == currentThread() else {
      return nil
    }
    return call.isOver.withLock { $0 } ? nil : call.origin
  }
}
