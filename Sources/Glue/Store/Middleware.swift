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
    if report != nil, intent is any Runnable {
      tell(of: .unhandledThunk(type: "\(type(of: intent))"))
    }
    let origin = ChainCall.origin(in: ObjectIdentifier(self))
    ChainCall.leave { commit(intent, from: origin) }
  }
}
