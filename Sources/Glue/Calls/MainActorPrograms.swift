// For main-actor programs: the forms of `subscribe`, `on` and `add` for main-actor handlers.

extension Store {
  /// Calls a main-actor handler with the selected value, now and after each commit that changes it.
  ///
  ///     subscription = store.subscribe(selector: \.value) { @MainActor [weak self] value in
  ///       self?.title = "Count: \(value)"
  ///     }
  ///
  /// It promises what the form for other handlers does, except where calls are made. A store makes
  /// its calls to the main actor, effect handlers included, in one order. A call is made at once if
  /// the delivery is made on the main queue and no earlier call waits. That is so for intents that
  /// main-actor code dispatches with ``Delivery/immediate`` or ``Delivery/main``. Otherwise calls
  /// wait for one task of the main actor. Each call checks for cancellation as it starts, so after
  /// a `cancel()` on the main actor none starts (G8).
  ///
  /// - Parameters:
  ///   - selector: the part or property to watch; a key path will do. It is pure, and runs on any
  ///     thread.
  ///   - handler: gets each value.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of the selector and of one `==`.
  @_alwaysEmitIntoClient
  public func subscribe<Value: Sendable & Equatable>(
    selector: @escaping @Sendable (State) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription {
    subscribe(
      Observer(
        mainActorHandler: handler, movedBy: callsOnMainActor(of: Value.self),
        enqueueingChanges(of: selector)))
  }

  /// Calls a main-actor handler with the selected value, now and after each commit.
  ///
  /// The value is not `Equatable`, so commits that did not change it notify too.
  ///
  /// - Parameters:
  ///   - selector: the part or property to watch; a key path will do.
  ///   - handler: gets each value.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of the selector and of a delivery.
  @_alwaysEmitIntoClient
  public func subscribe<Value: Sendable>(
    selector: @escaping @Sendable (State) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription {
    subscribe(
      Observer(
        mainActorHandler: handler, movedBy: callsOnMainActor(of: Value.self),
        enqueueingAll(of: selector)))
  }

  /// Calls a main-actor handler with the state, now and after each commit.
  ///
  /// - Parameter handler: gets each state.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of a copy of the state and of a delivery.
  @_alwaysEmitIntoClient
  public func subscribe(handler: @escaping @MainActor (State) -> Void) -> Subscription {
    subscribe(selector: { $0 }, handler: handler)
  }

  /// Calls a main-actor handler with the state, now and after each commit that changes it.
  ///
  /// - Parameter handler: gets each state.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of a copy of the state and of one `==`.
  @_alwaysEmitIntoClient
  public func subscribe(
    handler: @escaping @MainActor (State) -> Void
  ) -> Subscription where State: Equatable {
    subscribe(selector: { $0 }, handler: handler)
  }

  /// Adds a main-actor object that does the work of effects.
  ///
  /// Its conformance to ``EffectHandler`` belongs to the main actor, as by default in a module that
  /// isolates its code to the main actor. It promises what the form for other handlers does. Its
  /// calls are made on the main actor, in one order with those to subscribers there. An effect with
  /// a policy is running until they have returned.
  ///
  /// - Parameter effectHandler: the object.
  /// - Complexity: O(1), amortized.
  @preconcurrency @MainActor
  public func add<H: EffectHandler>(effectHandler: H) {
    add(mainActorHandler: { effectHandler.handle(effect: $0, dispatch: $1) })
  }

  /// Adds a main-actor closure that does the work of one type of effects.
  ///
  /// It promises what the form for other closures does. Its calls are made on the main actor, in
  /// one order with those to subscribers there. An effect with a policy is running until they have
  /// returned.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches.
  /// - Complexity: O(1), amortized.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @MainActor (E, @escaping DispatchFunc) -> Void
  ) {
    add(mainActorHandler: handler)
  }

  package func add<Handled: Sendable>(
    mainActorHandler handler: @escaping @MainActor (Handled, @escaping DispatchFunc) -> Void
  ) {
    let calls = mainActorCalls(for: .add)
    add { _ in
      AnyHandler(
        handles: { handled($0, as: Handled.self) != nil },
        .mainActor(calls) { effect, dispatch in
          if let effect = handled(effect, as: Handled.self) { handler(effect, dispatch) }
        })
    }
  }
}

extension Store {
  /// Moves a subscriber's calls to the main actor, unless they are made there anyway.
  @usableFromInline
  func callsOnMainActor(of subject: Any.Type) -> Move {
    let calls = mainActorCalls(for: .subscribe)
    return { calls.make(of: subject, $0) }
  }

  /// The calls on the main actor, of all subscribers and handlers.
  func mainActorCalls(for call: StoreCall) -> MainActorCalls {
    read(call) { core in
      let extras = core.runtime.effects.useExtras()
      if let calls = extras.mainActorCalls { return calls }
      let calls = MainActorCalls { [weak self] in self?.beginCall() }
      #if DEBUG
        calls.slowCalls = extras.watch.map(makeSlowCalls)
      #endif
      extras.mainActorCalls = calls
      return calls
    }
  }

  /// Counts a call that a delivery moves, until the returned object is released.
  func beginCall() -> CallInFlight {
    let number = core.withLock { core in
      core.runtime.effects.extras?.watch?.begin()
      return core.runtime.outbox.use().calls.begin()
    }
    return CallInFlight { [weak self] in
      self?.change { core, _ in core.runtime.outbox.drainer?.calls.end(number) }
    }
  }
}
