/// A closure that can be dispatched like an intent, and dispatches intents itself.
///
/// It runs where it is dispatched, in the middleware that ``thunkMiddleware()`` makes, and never
/// reaches the reducer. `getState` includes what it has dispatched so far (G2):
///
///     let store = Store(state: AppState(), reducer: reducer, middleware: [thunkMiddleware()])
///     store.dispatch(
///       Thunk<AppState> { dispatch, getState in
///         dispatch(AppIntent.increment)
///         if getState().value > 10 { dispatch(AppIntent.reset) }
///       })
///
/// Services that it needs it captures, as an effect handler holds its own; a function that takes
/// them and returns the thunk gives it a name:
///
///     func save(to files: Files) -> Thunk<AppState> {
///       Thunk { dispatch, getState in dispatch(AppIntent.saved(files.write(getState().text))) }
///     }
///     store.dispatch(save(to: files))
///
/// Both functions may be kept, by a callback for example, and do not keep the store alive. What is
/// dispatched when the thunk has returned comes from outside; what should be waited for and
/// cancelled with the store is the work of an ``AsyncThunk``.
///
/// A store without that middleware does nothing with it, for no reducer knows its type, and tells of
/// that as a ``Problem``.
public struct Thunk<State>: Intent, Runnable {
  let body: @Sendable (@escaping DispatchFunc, @escaping @Sendable () -> State) -> Void

  /// Makes a thunk.
  ///
  /// - Parameter body: is called with functions that dispatch to and read the store.
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
/// It runs in a task that the store owns, as those of its asynchronous effects: ``Store/settled()``
/// and ``Store/perform(_:)`` wait for it, and it is cancelled by ``Store/shutdown()`` and when the
/// store goes. From then on what it dispatches is dropped (G11). Errors are its own to handle.
///
///     func loadName(from service: Service) -> AsyncThunk<AppState> {
///       AsyncThunk { dispatch, getState in
///         let name = await service.name(of: getState().user)
///         dispatch(AppIntent.loaded(name))
///       }
///     }
///     store.dispatch(loadName(from: service))
///
/// To wait, it captures the clock that the store was given, so that tests own its time too:
///
///     func resetLater(on clock: any Clock<Duration>) -> AsyncThunk<AppState> {
///       AsyncThunk { dispatch, _ in
///         try? await clock.sleep(for: .seconds(2))
///         dispatch(AppIntent.reset)
///       }
///     }
///
/// If the wait ends because the thunk is cancelled, what follows is dropped, so `try?` is enough.
public struct AsyncThunk<State>: Intent, Runnable {
  let body: @Sendable (@escaping DispatchFunc, @escaping @Sendable () -> State) async -> Void

  /// Makes a thunk.
  ///
  /// - Parameter body: is called with functions that dispatch to and read the store.
  public init(
    _ body:
      @escaping @Sendable (
        _ dispatch: @escaping DispatchFunc, _ getState: @escaping @Sendable () -> State
      ) async -> Void
  ) {
    self.body = body
  }
}

extension Store {
  /// Runs a thunk, as dispatching it among other intents does.
  ///
  /// The state's type need not be named:
  ///
  ///     store.dispatch(Thunk { dispatch, getState in dispatch(AppIntent.increment) })
  ///
  /// In a store without ``thunkMiddleware()`` nothing happens, which is a ``Problem``.
  ///
  /// - Parameter thunk: is called before this returns.
  public func dispatch(_ thunk: Thunk<State>) {
    dispatchThunk(thunk)
  }

  /// Starts an asynchronous thunk, as dispatching it among other intents does.
  ///
  /// In a store without ``thunkMiddleware()`` nothing happens, which is a ``Problem``.
  ///
  /// - Parameter thunk: is called in a task.
  public func dispatch(_ thunk: AsyncThunk<State>) {
    dispatchThunk(thunk)
  }

  private func dispatchThunk<T: Intent>(_ thunk: T) {
    if chain == nil { tell(of: .unhandledThunk(type: "\(T.self)")) }
    dispatch(thunk as any Intent)
  }
}

/// Makes the middleware that runs thunks.
///
/// Thunks of another type of state it passes on, as it does all other intents.
///
/// - Returns: the middleware, usually a store's first.
public func thunkMiddleware<State>() -> Middleware<State> {
  { dispatch, getState in
    // Asked for once, as generic types that are not known at compile time are looked up.
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
