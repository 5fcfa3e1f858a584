// For main-actor programs: the forms of `subscribe` for main-actor handlers.

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
    read(call) { core in mainActorCalls(in: &core) }
  }

  /// The same; called under the lock.
  @usableFromInline
  func mainActorCalls(in core: inout Core<State>) -> MainActorCalls {
    if let calls = core.runtime.mainActorCalls { return calls }
    let calls = MainActorCalls(owner: timer.owner) { [weak self] in self?.beginCall() }
    #if DEBUG
      calls.slowCalls = core.runtime.effects.checks?.watch.map { watch in
        SlowCalls(now: watch.time.now) { [weak self] in self?.report($0) }
      }
    #endif
    core.runtime.mainActorCalls = calls
    return calls
  }

  /// Counts a call that a delivery moves, until the returned object is released.
  func beginCall() -> CallInFlight {
    let number = core.withLock { core in
      core.runtime.effects.checks?.watch?.begin()
      return core.runtime.outbox.use().calls.begin()
    }
    return CallInFlight { [weak self] in
      self?.change { core, _ in core.runtime.outbox.drainer?.calls.end(number) }
    }
  }
}
