// For programs of the main actor: the forms of `subscribe`, `on` and `add` that take what belongs
// to it.

extension Store {
  /// Tells a handler of the main actor the selected value now, and each commit's whenever it has
  /// changed.
  ///
  ///     subscription = store.subscribe(selector: \.value) { @MainActor [weak self] value in
  ///       self?.title = "Count: \(value)"
  ///     }
  ///
  /// It promises what the form does whose handler belongs to no actor, except where calls are made.
  /// A store's calls to the main actor, handlers of effects included, are in one order: at once, if
  /// the delivery is made on the main queue and none of them waits, as is so of what code of the
  /// main actor dispatches with ``Delivery/immediate`` or ``Delivery/main``. Otherwise they wait
  /// for one task of the main actor. Whether the subscription was cancelled is checked as each
  /// starts, so after a `cancel()` on the main actor there is none (G8).
  ///
  /// - Parameters:
  ///   - selector: the part or property to watch; a key path will do. It is pure, and runs on any
  ///     thread.
  ///   - handler: is told each value.
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Complexity: O(1), and for each commit the cost of the selector and of one `==`.
  @inlinable
  public func subscribe<Value: Sendable & Equatable>(
    selector: @escaping @Sendable (State) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription {
    subscribe(
      Observer(
        mainActorHandler: handler, movedBy: callsOnMainActor, tellingChanges(of: selector)))
  }

  /// Tells a handler of the main actor the selected value now, and that of each commit.
  ///
  /// As the value is not `Equatable`, commits that did not change it are told too.
  ///
  /// - Parameters:
  ///   - selector: the part or property to watch; a key path will do.
  ///   - handler: is told each value.
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Complexity: O(1), and for each commit the cost of the selector and of a delivery.
  @inlinable
  public func subscribe<Value: Sendable>(
    selector: @escaping @Sendable (State) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription {
    subscribe(
      Observer(
        mainActorHandler: handler, movedBy: callsOnMainActor, tellingAll(of: selector)))
  }

  /// Tells a handler of the main actor the state now, and after each commit.
  ///
  /// - Parameter handler: is told each state.
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Complexity: O(1), and for each commit the cost of a copy of the state and of a delivery.
  @inlinable
  public func subscribe(handler: @escaping @MainActor (State) -> Void) -> Subscription {
    subscribe(selector: { $0 }, handler: handler)
  }

  /// Tells a handler of the main actor the state now, and whenever a commit has changed it.
  ///
  /// - Parameter handler: is told each state.
  /// - Returns: the subscription, which ends when it is cancelled or released.
  /// - Complexity: O(1), and for each commit the cost of a copy of the state and of one `==`.
  @inlinable
  public func subscribe(
    handler: @escaping @MainActor (State) -> Void
  ) -> Subscription where State: Equatable {
    subscribe(selector: { $0 }, handler: handler)
  }

  /// Adds an object of the main actor that does the work of effects.
  ///
  /// It is one whose conformance to ``EffectHandler`` belongs to the main actor, as in a module of
  /// which all does that does not say otherwise. It promises what the form for other handlers does,
  /// and its calls are made on the main actor, in one order with those to subscribers there. An
  /// effect with a policy is running until they have returned.
  ///
  /// - Parameter effectHandler: the object.
  /// - Complexity: O(1), amortised.
  @preconcurrency @MainActor
  public func add<H: EffectHandler>(effectHandler: H) {
    add(mainActorHandler: { effectHandler.handle(effect: $0, dispatch: $1) })
  }

  /// Adds a closure of the main actor that does the work of one type of effects.
  ///
  /// It promises what the form whose closure belongs to no actor does, and is called on the main
  /// actor, in one order with subscribers there. An effect with a policy is running until it has
  /// returned.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: is called with each of them and with a function that dispatches.
  /// - Complexity: O(1), amortised.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @MainActor (E, @escaping DispatchFunc) -> Void
  ) {
    add(mainActorHandler: handler)
  }

  package func add<Handled: Sendable>(
    mainActorHandler handler: @escaping @MainActor (Handled, @escaping DispatchFunc) -> Void
  ) {
    add(
      AnyHandler(
        handles: { handled($0, as: Handled.self) != nil }, on: mainActorCalls(for: .add),
        mainActor: { effect, dispatch in
          if let effect = handled(effect, as: Handled.self) { handler(effect, dispatch) }
        }))
  }
}
