internal import Dispatch
public import Synchronization

/// A store's middleware around its reducer, with its link to the store.
@usableFromInline
final class Chain<State: Sendable>: Sendable {
  @usableFromInline let api: MiddlewareAPI<State>

  /// Sends an intent through the middleware to the reducer.
  @usableFromInline let dispatch: DispatchFunc

  @_alwaysEmitIntoClient
  init(of middleware: [Middleware<State>], _ api: MiddlewareAPI<State>) {
    self.api = api
    dispatch = api.chain(of: middleware)
  }
}

/// A store as its middleware sees it: middleware must not retain it, and gets its functions before
/// the store is complete.
///
/// `@unchecked Sendable` is sound because `store` is written once, before there is any middleware;
/// a lock guards the rest.
@usableFromInline
final class MiddlewareAPI<State: Sendable>: @unchecked Sendable {
  @usableFromInline weak var store: Store<State>?

  /// Whether the store is complete.
  @usableFromInline let isComplete = Atomic(false)

  /// Held by the creating thread while it builds the chain.
  ///
  /// So the intents of other threads wait for the store, and its own stop the program.
  private let building = Locked(())

  /// The last state of a store that is gone.
  private let last = Locked<State?>(nil)

  /// Only the address, because weak references end before there is a last state.
  private let address: Unmanaged<Store<State>>

  @usableFromInline
  init(_ store: Store<State>) {
    self.store = store
    address = .passUnretained(store)
  }

  /// Builds the chain, which completes the store.
  @usableFromInline
  func complete(by thread: ThreadID, _ build: () -> Void) {
    building.withLock(by: thread) { _ in
      build()
      isComplete.store(true, ordering: .releasing)
    }
  }

  /// The middleware's functions, nested, around the reducer.
  @_alwaysEmitIntoClient
  func chain(of middleware: [Middleware<State>]) -> DispatchFunc {
    let reduce: DispatchFunc = { self.store(for: "next(_:)")?.commitAtEndOfChain($0) }
    return watched(middleware).reversed().reduce(reduce) { next, middleware in
      middleware(
        { self.store(for: "dispatch(_:)")?.dispatchFromMiddleware($0) }, { self.state })(next)
    }
  }

  /// The store, once it is complete; nil if it is gone.
  @_alwaysEmitIntoClient
  func store(for call: StaticString) -> Store<State>? {
    if !isComplete.load(ordering: .acquiring) { awaitCompletion(call) }
    return store
  }

  /// Waits for the thread that builds the chain, which may not wait for this one.
  @usableFromInline
  func awaitCompletion(_ call: StaticString) {
    let patience = Patience.ofThreads.get()
    let last = DispatchWorkItem { stopForEndlessBuilding("\(call)") }
    // A second look, because a process that was stopped finds its first deadline passed.
    let first = DispatchWorkItem {
      DispatchQueue.global().asyncAfter(deadline: .now() + 5 * patience, execute: last)
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + patience, execute: first)
    building.withLock(by: currentThread(), ifHeld: { stopForUseWhileBuilding("\(call)") }) { _ in }
    first.cancel()
    last.cancel()
  }

  /// The state, which exists before the chain does.
  @_alwaysEmitIntoClient
  var state: State { store?.state ?? lastState }

  /// The state of a store that is gone.
  ///
  /// The unmanaged reference is sound: while this lock is held the store can't be released, because
  /// its deinit takes the lock first.
  @usableFromInline
  var lastState: State {
    last.withLock { $0 ?? address._withUnsafeGuaranteedRef { $0.state } }
  }

  /// Keeps the last state for later reads by middleware; called when the store is released.
  func detach(last state: State) {
    last.withLock { $0 = state }
  }
}

/// Runs `body` as part of a call of a store's middleware for `origin`, or of none.
///
/// It gets the origin of the enclosing call, if that is of the same store.
@usableFromInline
func withMiddlewareCall(
  of store: ObjectIdentifier, from origin: Origin?, on thread: ThreadID, _ body: (Origin?) -> Void
) {
  let context = context(of: thread)
  if origin == nil && context.middlewareCall == nil { return body(nil) }
  let outer = context.middlewareCall
  context.middlewareCall = origin.map { MiddlewareCall(store: store, origin: $0) }
  body(outer?.origin(in: store))
  context.middlewareCall = outer
}

extension MiddlewareCall {
  fileprivate func origin(in store: ObjectIdentifier) -> Origin? {
    self.store == store ? origin as? Origin : nil
  }
}

extension Store {
  @_alwaysEmitIntoClient
  func pass(
    _ intent: any Intent, through chain: Chain<State>, from origin: Origin?, on thread: ThreadID
  ) {
    if core.isHeld(by: thread) { stopForUseWhileReducing(.dispatch) }
    if origin?.isCancelled == true { return }
    let store = ObjectIdentifier(self)
    withMiddlewareCall(of: store, from: origin, on: thread) { _ in chain.dispatch(intent) }
  }

  /// Sends a middleware's intent through the whole chain, or starts its asynchronous work.
  @usableFromInline
  func dispatchFromMiddleware(_ intent: any Intent) {
    let call = context(of: currentThread()).middlewareCall
    let origin = call?.origin(in: ObjectIdentifier(self))
    guard let work = narrowed(intent, to: AsyncWork.self) else {
      return dispatch(intent, from: origin)
    }
    if origin?.isCancelled == true { return }
    let (host, scope) = read(.dispatch) { core in
      (prepareHost(in: &core), origin?.scope)
    }
    host.start(work, as: origin?.cause ?? .outside, in: scope)
  }

  /// Reduces what the last middleware passed on.
  ///
  /// Deliveries are no part of a middleware's call.
  @_alwaysEmitIntoClient
  func commitAtEndOfChain(_ intent: any Intent) {
    let thread = currentThread()
    withMiddlewareCall(of: ObjectIdentifier(self), from: nil, on: thread) { origin in
      commit(intent, from: origin, on: thread)
    }
  }
}
