/// A closure that can be dispatched like an intent, and dispatches intents itself.
///
/// It runs where it is dispatched, in the middleware that ``thunkMiddleware()`` makes, and never
/// reaches the reducer. `getState` includes its own dispatches so far (G2):
///
///     let store = Store(state: AppState(), reducer: reducer, middleware: [thunkMiddleware()])
///     store.dispatch(
///       Thunk<AppState> { dispatch, getState in
///         dispatch(AppIntent.increment)
///         if getState().value > 10 { dispatch(AppIntent.reset) }
///       })
///
/// It captures the services that it needs, as an effect handler holds its own. A function that
/// takes them and returns the thunk gives it a name:
///
///     func save(to files: Files) -> Thunk<AppState> {
///       Thunk { dispatch, getState in dispatch(AppIntent.saved(files.write(getState().text))) }
///     }
///     store.dispatch(save(to: files))
///
/// Both functions may be kept, for example by a callback, and don't keep the store alive. Intents
/// dispatched after the thunk has returned come from outside. For work that the store waits for and
/// cancels, use an ``AsyncThunk``.
///
/// A store without that middleware ignores it, because no reducer knows its type, and reports a
/// ``Problem``.
public struct Thunk<State>: Intent, Runnable {
  let body: @Sendable (@escaping DispatchFunc, @escaping @Sendable () -> State) -> Void

  /// Makes a thunk.
  ///
  /// - Parameter body: gets functions that dispatch to and read the store.
  public init(
    _ body:
      @escaping @Sendable (
        _ dispatch: @escaping DispatchFunc, _ getState: @escaping @Sendable () -> State
      ) -> Void
  ) {
    self.body = body
  }
}

/// An asynchronous closure that can be dispatched like an intent, and dispatches intents itself.
///
/// It runs in a task that the store owns, like those of asynchronous effects. ``Store/settled()``
/// and ``Store/perform(_:)`` wait for it. ``Store/shutdown()`` and the release of the store cancel
/// it; from then on its intents are dropped (G11). It handles its own errors.
///
///     func loadName(from service: Service) -> AsyncThunk<AppState> {
///       AsyncThunk { dispatch, getState in
///         let name = await service.name(of: getState().user)
///         dispatch(AppIntent.loaded(name))
///       }
///     }
///     store.dispatch(loadName(from: service))
///
/// To wait, it captures the store's clock, so that tests own its time too:
///
///     func resetLater(on clock: any Clock<Duration>) -> AsyncThunk<AppState> {
///       AsyncThunk { dispatch, _ in
///         try? await clock.sleep(for: .seconds(2))
///         dispatch(AppIntent.reset)
///       }
///     }
///
/// If the wait ends because the thunk is canceled, its later intents are dropped, so `try?` is
/// enough.
public struct AsyncThunk<State>: Intent, Runnable {
  let body: @Sendable (@escaping DispatchFunc, @escaping @Sendable () -> State) async -> Void

  /// Makes a thunk.
  ///
  /// - Parameter body: gets functions that dispatch to and read the store.
  public init(
    _ body:
      @escaping @Sendable (
        _ dispatch: @escaping DispatchFunc, _ getState: @escaping @Sendable () -> State
      ) async -> Void
  ) {
    self.body = body
  }
}

/// Makes the middleware that runs thunks.
///
/// It passes on thunks of another type of state, as it does all other intents.
///
/// - Returns: the middleware, usually a store's first.
public func thunkMiddleware<State>() -> Middleware<State> {
  { dispatch, getState in
    // Looked up once: types that aren't known at compile time cost a lookup at each use.
    let thunks = [ObjectIdentifier(Thunk<State>.self), ObjectIdentifier(AsyncThunk<State>.self)]
    return { next in
      { intent in
        if !thunks.contains(ObjectIdentifier(type(of: intent))) { return next(intent) }
        if let thunk = narrowed(intent, to: Thunk<State>.self) {
          thunk.body(dispatch, getState)
        } else if let thunk = narrowed(intent, to: AsyncThunk<State>.self) {
          dispatch(AsyncWork { dispatch in await thunk.body(dispatch, getState) })
        }
      }
    }
  }
}

extension Thunk {
  /// True: the middleware runs thunks of the whole.
  public static var leavesParts: Bool { true }
}

extension AsyncThunk {
  /// True: the middleware runs thunks of the whole.
  public static var leavesParts: Bool { true }
}
