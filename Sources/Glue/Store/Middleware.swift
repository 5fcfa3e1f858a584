/// Stands between `dispatch` and the reducer, and decides which intents reach it.
///
/// A middleware gets each intent and passes it on, or another one, or several, or none, at once or
/// later. When `next` returns, the reducer has reduced the intents that reach it, so `getState()`
/// includes them (G2); it doesn't include dropped or delayed ones. A store's first middleware gets
/// an intent first.
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
/// - `dispatch` sends an intent through the whole chain, from its beginning. Called from the
///   middleware's own body it is an ordinary call that nests: a chain of such calls uses stack for
///   each (handlers' and subscribers' do not, G5). It is unavailable while the store is being
///   created.
/// - `getState` reads the store's state; once the store is gone, its last one.
/// - `next` passes an intent on. Once the store is gone it is a no-op, like `dispatch` (G9).
///
/// A middleware runs on the dispatching thread, so on several at once, and no lock is held: it may
/// use the store in any way, block and lock (G6). For a log, use a ``Monitor`` instead, which
/// observes commits in their order. To wait, return a delayed effect from the reducer, or dispatch
/// an ``AsyncThunk``: the store then knows of the wait.
///
/// An intent from an effect's handler stays that effect's, with everything that the chain derives
/// from it before it returns. ``Store/perform(_:)`` waits for it, monitors see the effect as its
/// cause, and if the effect is canceled it is dropped (G11). Intents passed on later, or by another
/// thread, come from outside.
///
/// A middleware captures the services that it needs:
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
  /// Sends an intent through the middleware.
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

  /// Reports a problem, if problems are looked for.
  @usableFromInline
  func tell(of problem: Problem) {
    if report != nil { change { core, _ in core.work.effects.report(problem) } }
  }
}
