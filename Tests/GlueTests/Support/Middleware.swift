import Glue

/// A middleware's functions.
struct Chain<State>: Sendable {
  let dispatch: DispatchFunc
  let getState: @Sendable () -> State
  let next: DispatchFunc
}

/// A middleware from one function of all that it is given.
func middleware<State>(
  _ body: @escaping @Sendable (Chain<State>, any Intent) -> Void
) -> Middleware<State> {
  { dispatch, getState in
    { next in { body(Chain(dispatch: dispatch, getState: getState, next: next), $0) } }
  }
}

extension Store<Counter> {
  /// A store whose only middleware is one function.
  convenience init(
    monitors: [any Monitor<Counter>] = [], delivery: Delivery = .immediate,
    chain: @escaping @Sendable (Chain<Counter>, any Intent) -> Void
  ) {
    self.init(
      state: Counter(), reducer: counter, middleware: [middleware(chain)], monitors: monitors,
      delivery: delivery)
  }
}
