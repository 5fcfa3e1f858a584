public import Dispatch

extension Store {
  /// Calls a handler with the selected value, now and after each commit that changes it.
  ///
  /// - The first value is the one at the instant of subscribing. Then comes that of each later
  ///   commit that changes it, once each and in order (G4, G8), even if later intents are reduced
  ///   by then. Entries that are pending come first, so if another thread is delivering, the first
  ///   call may come after `subscribe` has returned, on that thread. If a handler or a subscriber
  ///   of this store subscribes, the first call comes after that one has returned.
  /// - Calls never overlap with one another or with other deliveries of this store, and no lock is
  ///   held: the handler may use the store in any way (G3, G6). Calls on a queue keep their order
  ///   and run concurrently with the store's other deliveries. Each checks for cancellation as it
  ///   starts there.
  /// - The selector and the value's `==` run under the store's lock and must be pure (G7).
  /// - Values that are not `Equatable`, tuples among them, are delivered at every commit.
  ///
  /// The store holds the last value, and the outbox one for each pending call: select small values.
  /// While an array is held that shares its storage with the state's, the next change of that array
  /// copies it (G10); its `count` costs nothing.
  ///
  /// - Parameters:
  ///   - queue: where to call the handler instead of where the store delivers, which is what nil
  ///     does.
  ///   - selector: the part or property to watch; a key path will do. A closure of several
  ///     statements must name its result: `{ state -> Int in … }`.
  ///   - handler: gets each value. It need not be `Sendable`.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of the selector and of one `==`.
  @_alwaysEmitIntoClient
  public func subscribe<Value: Sendable & Equatable>(
    on queue: DispatchQueue? = nil,
    selector: @escaping @Sendable (State) -> Value,
    handler: sending @escaping (Value) -> Void
  ) -> Subscription {
    let move = calls(on: queue)
    return subscribe(Observer(handler: handler, movedBy: move, enqueueingChanges(of: selector)))
  }

  /// Calls a handler with the selected value, now and after each commit.
  ///
  /// The value is not `Equatable`, so commits that did not change it notify too.
  ///
  /// - Parameters:
  ///   - queue: where to call the handler; nil calls it where the store delivers.
  ///   - selector: the part or property to watch; a key path will do.
  ///   - handler: gets each value. It need not be `Sendable`.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of the selector and of a delivery.
  @_alwaysEmitIntoClient
  public func subscribe<Value: Sendable>(
    on queue: DispatchQueue? = nil,
    selector: @escaping @Sendable (State) -> Value,
    handler: sending @escaping (Value) -> Void
  ) -> Subscription {
    let move = calls(on: queue)
    return subscribe(Observer(handler: handler, movedBy: move, enqueueingAll(of: selector)))
  }

  /// Calls a handler with the state, now and after each commit.
  ///
  /// It promises what subscribing with a selector does. Each commit copies the state: if it holds
  /// large collections, select what you need.
  ///
  /// - Parameters:
  ///   - queue: where to call the handler; nil calls it where the store delivers.
  ///   - handler: gets each state. It need not be `Sendable`.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of a copy of the state and of a delivery.
  @_alwaysEmitIntoClient
  public func subscribe(
    on queue: DispatchQueue? = nil, handler: sending @escaping (State) -> Void
  ) -> Subscription {
    subscribe(on: queue, selector: { $0 }, handler: handler)
  }

  /// Calls a handler with the state, now and after each commit that changes it.
  ///
  /// It promises what subscribing with a selector does. If the state holds large collections,
  /// select what you need.
  ///
  /// - Parameters:
  ///   - queue: where to call the handler; nil calls it where the store delivers.
  ///   - handler: gets each state. It need not be `Sendable`.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of a copy of the state and of one `==`.
  @_alwaysEmitIntoClient
  public func subscribe(
    on queue: DispatchQueue? = nil, handler: sending @escaping (State) -> Void
  ) -> Subscription where State: Equatable {
    subscribe(on: queue, selector: { $0 }, handler: handler)
  }

  /// Moves a subscriber's calls to a queue, if there is one.
  ///
  /// A serial queue of its own keeps the calls in order and apart, even if that queue is
  /// concurrent.
  @usableFromInline
  func calls(on queue: DispatchQueue?) -> Move? {
    guard let queue else { return nil }
    let post: Move
    if let queue = timer.owner?.makeQueue?(DeliveryPlace(queue).isMainQueue) {
      post = queue
    } else {
      let serial = DispatchQueue(label: "glue.subscription", target: queue)
      post = { serial.async(execute: $0) }
    }
    return { [weak self] call in
      let inFlight = self?.beginCall()
      post { withExtendedLifetime(inFlight) { call() } }
    }
  }

  /// Adds a subscriber and enqueues its first value, at one instant.
  @_alwaysEmitIntoClient
  func subscribe(_ subscriber: Subscriber<State>) -> Subscription {
    let removal = change(.subscribe) { core, thread in
      let removal = core.removal ?? Removal { [weak self] in self?.remove($0) }
      core.removal = removal
      core.subscribers.append(subscriber)
      subscriber.enqueueIfChanged(subscriber, &core, thread)
      return removal
    }
    return Subscription(subscriber.liveness, removal: removal)
  }

  /// Removes a subscriber whose subscription has ended, and releases it unlocked.
  @_alwaysEmitIntoClient
  func remove(_ liveness: Liveness) {
    var removed = read(.cancel) { core in [core.subscribers.remove(at: liveness.slot)] }
    release(&removed)
  }
}
