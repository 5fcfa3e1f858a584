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

/// Runs `body` as part of a call of a store's middleware for `origin`, or of none.
///
/// It gets the origin of the call within which this one is made, if that is of the same store.
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

  /// Sends an intent of a middleware through all of the chain, or starts its asynchronous work.
  @usableFromInline
  func dispatchFromMiddleware(_ intent: any Intent) {
    let call = context(of: currentThread()).middlewareCall
    let origin = call?.origin(in: ObjectIdentifier(self))
    guard let work = narrowed(intent, to: AsyncWork.self) else {
      return dispatch(intent, from: origin)
    }
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

  /// Reports a problem, if anything looks for them.
  @usableFromInline
  func tell(of problem: Problem) {
    if report != nil { change { core, _ in core.work.effects.report(problem) } }
  }
}
