public import Synchronization

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
///
/// An intent that an effect's handler dispatches stays that effect's, with all that the chain makes
/// of it before it returns: ``Store/perform(_:)`` waits for it, monitors see the effect as its
/// cause, and if the effect is cancelled it is dropped (G11). What is passed on later, or by
/// another thread, comes from outside.
///
/// Services that a middleware needs it captures:
///
///     func tracking(by analytics: Analytics) -> Middleware<AppState> {
///       { dispatch, getState in
///         { next in
///           { intent in
///             analytics.count(intent)
///             next(intent)
///           }
///         }
///       }
///     }
public typealias Middleware<State> =
  @Sendable (_ dispatch: @escaping DispatchFunc, _ getState: @escaping @Sendable () -> State) ->
  @Sendable (_ next: @escaping DispatchFunc) -> DispatchFunc

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

  @inlinable
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
  }

  /// Keeps the last state for those who ask later; called by the store as it goes.
  func detach(last state: State) {
    target.withLock { $0 = .gone(last: state) }
  }

  @inlinable
  var store: Store<State>? {
    if !isBuilt.load(ordering: .acquiring) { stopForUseWhileBuilding("dispatch(_:) or next(_:)") }
    return builtStore
  }

  /// What a middleware does in a call with an intent of an effect's counts as the effect's.
  @inlinable
  func dispatch(_ intent: any Intent) {
    guard let store else { return }
    let origin = ChainCall.origin(in: ObjectIdentifier(store))
    if let work = cast(intent, to: AsyncWork.self) { return store.start(work, from: origin) }
    store.dispatch(intent, from: origin)
  }

  @inlinable
  var state: State {
    if !isBuilt.load(ordering: .acquiring) { stopForUseWhileBuilding("getState()") }
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

extension Store {
  /// Sends an intent that comes from `origin` through the middleware, if any, to the reducer.
  @inlinable
  func dispatch(_ intent: any Intent, from origin: Origin?) {
    guard let chain else { return commit(intent, from: origin) }
    if core.isHeld(by: currentThread()) { stopForUseWhileReducing(.dispatch) }
    guard let origin else { return ChainCall.leave { chain(intent) } }
    if origin.isCancelled { return }
    ChainCall.make(in: ObjectIdentifier(self), from: origin) { chain(intent) }
  }

  /// Reduces what the last middleware passed on.
  @inlinable
  func commitAtEndOfChain(_ intent: any Intent) {
    let origin = ChainCall.origin(in: ObjectIdentifier(self))
    ChainCall.leave { commit(intent, from: origin) }
  }
}

/// A call of a store's chain of middleware with an intent that has an origin.
///
/// The chain's functions cannot pass the origin on, so it takes the way of a task-local value,
/// which also works on threads that run no task.
@usableFromInline
final class ChainCall: Sendable {
  @TaskLocal private static var innermost: ChainCall?

  /// How many calls are under way.
  private static let count = Atomic(0)

  /// Where no call is under way nothing is looked up, which would cost a dispatch through
  /// middleware a third more.
  private static var current: ChainCall? {
    count.load(ordering: .relaxed) == 0 ? nil : innermost
  }

  private let store: ObjectIdentifier
  private let origin: Origin
  private let thread = currentThread()
  private let isOver = Atomic(false)

  private init(in store: ObjectIdentifier, from origin: Origin) {
    self.store = store
    self.origin = origin
  }

  /// Makes a call, in which ``origin(in:)`` tells the origin.
  @usableFromInline
  static func make(in store: ObjectIdentifier, from origin: Origin, _ body: () -> Void) {
    let call = ChainCall(in: store, from: origin)
    count.add(1, ordering: .relaxed)
    $innermost.withValue(call, operation: body)
    count.subtract(1, ordering: .relaxed)
    call.isOver.store(true, ordering: .relaxed)
  }

  /// Does what is not part of a call, although it may be done in one.
  @usableFromInline
  static func leave(_ body: () -> Void) {
    current == nil ? body() : $innermost.withValue(nil, operation: body)
  }

  /// The origin of what a middleware does on this thread, if that is part of a call of the store's.
  ///
  /// Tasks that are made in a call inherit it, but are no part of it.
  @usableFromInline
  static func origin(in store: ObjectIdentifier) -> Origin? {
    guard let call = current, call.store == store, call.thread == currentThread() else {
      return nil
    }
    return call.isOver.load(ordering: .relaxed) ? nil : call.origin
  }
}
