public import Synchronization

/// A store's middleware around its reducer, with its link to the store.
@usableFromInline
final class Chain<State: Sendable>: Sendable {
  @usableFromInline let api: MiddlewareAPI<State>

  /// Sends an intent through the middleware to the reducer.
  @usableFromInline let dispatch: DispatchFunc

  /// Whether thunks that reach the reducer are reported.
  @usableFromInline let reportsThunks: Bool

  @_alwaysEmitIntoClient
  init(of middleware: [Middleware<State>], around store: Store<State>, reportsThunks: Bool) {
    api = MiddlewareAPI(store)
    dispatch = api.chain(of: middleware)
    self.reportsThunks = reportsThunks
  }
}

/// A store as its middleware sees it: middleware must not retain it, and gets its functions before
/// the store is complete.
///
/// `@unchecked Sendable` is sound because `store` is written once, before there is any middleware;
/// a lock guards the rest.
@usableFromInline
final class MiddlewareAPI<State: Sendable>: @unchecked Sendable {
  private struct Content {
    /// Whether the chain of middleware is complete; until then the creating thread must not use it.
    var isChained = false

    /// Other threads' intents that wait for that, each with whether it goes right to the reducer.
    var waiting: [(intent: any Intent, isReduced: Bool)] = []

    /// The last state of a store that is gone.
    var last: State?
  }

  @usableFromInline weak var store: Store<State>?
  @usableFromInline let isBuilt = Atomic(false)
  private let content = Locked(Content())
  private let builder = currentThread()

  /// Only the address, because weak references end before `content` has the last state.
  private let address: Unmanaged<Store<State>>

  @usableFromInline
  init(_ store: Store<State>) {
    self.store = store
    address = .passUnretained(store)
  }

  /// The middleware's functions, nested, around the reducer.
  @_alwaysEmitIntoClient
  func chain(of middleware: [Middleware<State>]) -> DispatchFunc {
    #if DEBUG
      let middleware = middleware.enumerated().map { watched($0.element, at: $0.offset) }
    #endif
    let reduce: DispatchFunc = { self.store(for: $0, isReduced: true)?.commitAtEndOfChain($0) }
    return middleware.reversed().reduce(reduce) { next, middleware in
      middleware(
        { self.store(for: $0, isReduced: false)?.dispatchFromMiddleware($0) }, { self.state })(next)
    }
  }

  /// The store; nil if it is gone, or if it is being created: then the intent waits.
  @_alwaysEmitIntoClient
  func store(for intent: any Intent, isReduced: Bool) -> Store<State>? {
    isBuilt.load(ordering: .acquiring) || !waits(intent, isReduced) ? store : nil
  }

  @usableFromInline
  func waits(_ intent: any Intent, _ isReduced: Bool) -> Bool {
    content.withLock { content in
      if isBuilt.load(ordering: .relaxed) { return false }
      if currentThread() != builder {
        content.waiting.append((intent, isReduced))
        return true
      }
      if !content.isChained { stopForUseWhileBuilding(isReduced ? "next(_:)" : "dispatch(_:)") }
      return false
    }
  }

  @_alwaysEmitIntoClient
  var state: State {
    if isBuilt.load(ordering: .acquiring), let store { return store.state }
    return stateInLock
  }

  /// The state of a store that is being created or is gone.
  ///
  /// The unmanaged reference is sound: while this lock is held the store can't be released, because
  /// its deinit takes the lock first.
  @usableFromInline
  var stateInLock: State {
    content.withLock { content in
      if !content.isChained, currentThread() == builder { stopForUseWhileBuilding("getState()") }
      return content.last ?? address._withUnsafeGuaranteedRef { $0.state }
    }
  }

  /// Reduces the intents that other threads have dispatched so far, in order, and opens the store
  /// to these threads.
  @usableFromInline
  func open() {
    guard let store else { return }
    content.withLock { $0.isChained = true }
    while case let waiting = takeWaiting(), !waiting.isEmpty {
      for (intent, isReduced) in waiting {
        isReduced ? store.commitAtEndOfChain(intent) : store.dispatchFromMiddleware(intent)
      }
    }
  }

  private func takeWaiting() -> [(intent: any Intent, isReduced: Bool)] {
    content.withLock { content in
      if content.waiting.isEmpty { isBuilt.store(true, ordering: .releasing) }
      defer { content.waiting = [] }
      return content.waiting
    }
  }

  /// Keeps the last state for later reads by middleware; called when the store is released.
  func detach(last state: State) {
    content.withLock { $0.last = state }
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
    self.store == store ? unsafeDowncast(origin, to: Origin.self) : nil
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
    let cause = origin?.cause ?? .outside
    host.start(work, from: Origin(cause: cause, scope: scope, host: host))
  }

  /// Reduces what the last middleware passed on.
  ///
  /// Deliveries are no part of a middleware's call.
  @_alwaysEmitIntoClient
  func commitAtEndOfChain(_ intent: any Intent) {
    if middleware?.reportsThunks == true, intent is any Runnable {
      report(.unhandledThunk(type: "\(type(of: intent))"))
    }
    let thread = currentThread()
    withMiddlewareCall(of: ObjectIdentifier(self), from: nil, on: thread) { origin in
      commit(intent, from: origin, on: thread)
    }
  }
}
