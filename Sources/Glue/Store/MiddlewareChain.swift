public import Synchronization

/// Represents a store in its middleware, which must not retain it.
///
/// `@unchecked Sendable` is sound because `built` is written once, before `isBuilt` is set, which
/// every reader checks first; a lock guards the rest.
@usableFromInline
final class StoreBox<State: Sendable>: @unchecked Sendable {
  @usableFromInline
  enum Content: Sendable {
    /// Other threads' intents wait, each with whether it goes right to the reducer.
    case building(first: State, queued: [(intent: any Intent, isReduced: Bool)])

    /// Only the address of a store, because weak references to it end before this is updated.
    case built(Unmanaged<Store<State>>)
    case gone(last: State)
  }

  private let content: Locked<Content>
  @usableFromInline let isBuilt = Atomic(false)
  @usableFromInline weak var built: Store<State>?
  private let builder = currentThread()

  @usableFromInline
  init(first: State) {
    content = Locked(.building(first: first, queued: []))
  }

  /// The middleware's functions, nested, around the reducer.
  @inlinable
  func chain(of middleware: [Middleware<State>], to reduce: @escaping DispatchFunc) -> DispatchFunc
  {
    #if DEBUG
      let middleware = middleware.enumerated().map { watched($0.element, at: $0.offset) }
    #endif
    return middleware.reversed().reduce(reduce) { next, middleware in
      middleware(
        { self.store(for: $0, isReduced: false)?.dispatchFromMiddleware($0) }, { self.state })(next)
    }
  }

  /// The store; nil if it is gone, or if it is being created: then the intent waits.
  @inlinable
  func store(for intent: any Intent, isReduced: Bool) -> Store<State>? {
    isBuilt.load(ordering: .acquiring)
      ? built : storeBeingBuilt(for: intent, isReduced: isReduced)
  }

  @usableFromInline
  func storeBeingBuilt(for intent: any Intent, isReduced: Bool) -> Store<State>? {
    let waits = content.withLock { content in
      guard case .building(let first, var queued) = content else { return false }
      if currentThread() == builder {
        if built != nil { return false }
        stopForUseWhileBuilding(isReduced ? "next(_:)" : "dispatch(_:)")
      }
      queued.append((intent, isReduced))
      content = .building(first: first, queued: queued)
      return true
    }
    return waits ? nil : built
  }

  @inlinable
  var state: State {
    if isBuilt.load(ordering: .acquiring), let built { return built.state }
    return stateWithoutStore
  }

  /// The first state of a store that is being created, or the last one of a store that is gone.
  ///
  /// The unmanaged reference is sound: while this lock is held the store can't be released, because
  /// its deinit takes the lock first.
  @usableFromInline
  var stateWithoutStore: State {
    content.withLock { content in
      switch content {
      case .building(let first, _):
        if currentThread() == builder, built == nil { stopForUseWhileBuilding("getState()") }
        return built?.state ?? first
      case .built(let store): return store._withUnsafeGuaranteedRef { $0.state }
      case .gone(let last): return last
      }
    }
  }

  /// Reduces the intents that other threads have dispatched so far, in order, and publishes the
  /// store.
  @usableFromInline
  func attach(_ store: Store<State>, reduce: DispatchFunc) {
    content.withLock { _ in built = store }
    while case let queued = takeQueued(orAttach: store), !queued.isEmpty {
      for (intent, isReduced) in queued {
        isReduced ? reduce(intent) : store.dispatchFromMiddleware(intent)
      }
    }
  }

  private func takeQueued(
    orAttach store: Store<State>
  ) -> [(intent: any Intent, isReduced: Bool)] {
    // The old content may hold the first state, so it is released unlocked.
    let old = content.withLock { content in
      let old = content
      if case .building(let first, let queued) = old, !queued.isEmpty {
        content = .building(first: first, queued: [])
      } else {
        content = .built(.passUnretained(store))
        isBuilt.store(true, ordering: .releasing)
      }
      return old
    }
    if case .building(_, let queued) = old { return queued }
    return []
  }

  /// Keeps the last state for later reads by middleware; called when the store is released.
  func detach(last state: State) {
    content.withLock { $0 = .gone(last: state) }
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
  @inlinable
  func pass(
    _ intent: any Intent, through chain: DispatchFunc, from origin: Origin?, on thread: ThreadID
  ) {
    if core.isHeld(by: thread) { stopForUseWhileReducing(.dispatch) }
    if origin?.isCancelled == true { return }
    let store = ObjectIdentifier(self)
    withMiddlewareCall(of: store, from: origin, on: thread) { _ in chain(intent) }
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
    let (runner, activity) = read(.dispatch) { core in
      (prepareRunner(in: &core), origin?.activity)
    }
    let cause = origin?.cause ?? .outside
    runner.start(work, from: Origin(cause: cause, activity: activity, runner: runner))
  }

  /// Reduces what the last middleware passed on.
  ///
  /// Deliveries are no part of a middleware's call.
  @inlinable
  func commitAtEndOfChain(_ intent: any Intent) {
    if report != nil, intent is any Runnable {
      tell(of: .unhandledThunk(type: "\(type(of: intent))"))
    }
    let thread = currentThread()
    withMiddlewareCall(of: ObjectIdentifier(self), from: nil, on: thread) { origin in
      commit(intent, from: origin, on: thread)
    }
  }
}
