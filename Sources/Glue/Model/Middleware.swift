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
///   created: calls of other threads wait for that, as those of `next` do. So don't wait for such a
///   thread in the outer closures, which stops the program after a minute.
/// - `getState` reads the store's state, from the beginning on; once the store is gone, its last one.
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
