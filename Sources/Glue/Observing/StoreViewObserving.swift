public import Dispatch

extension StoreView {
  /// Calls a handler with the part, now and after each commit that changes it.
  ///
  /// It promises what `subscribe(selector:handler:)` of ``Store`` does.
  ///
  /// - Parameters:
  ///   - queue: where to call the handler; nil calls it where the store delivers.
  ///   - handler: gets each value of the part. It need not be `Sendable`.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of selecting the part and of one `==`.
  public func subscribe(
    on queue: DispatchQueue? = nil, handler: sending @escaping (Part) -> Void
  ) -> Subscription where Part: Equatable {
    source.subscribe(on: queue, selector: { $0 }, handler: handler)
  }

  /// Calls a handler with the part, now and after each commit.
  ///
  /// - Parameters:
  ///   - queue: where to call the handler; nil calls it where the store delivers.
  ///   - handler: gets each value of the part. It need not be `Sendable`.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of selecting the part and of a delivery.
  public func subscribe(
    on queue: DispatchQueue? = nil, handler: sending @escaping (Part) -> Void
  ) -> Subscription {
    source.subscribe(on: queue, selector: { $0 }, handler: handler)
  }

  /// Calls a main-actor handler with the part, now and after each commit that changes it.
  ///
  /// - Parameter handler: gets each value of the part, on the main actor; see the form of ``Store``
  ///   for such handlers.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of selecting the part and of one `==`.
  public func subscribe(
    handler: @escaping @MainActor (Part) -> Void
  ) -> Subscription where Part: Equatable {
    source.subscribe(selector: { $0 }, handler: handler)
  }

  /// Calls a main-actor handler with the part, now and after each commit.
  ///
  /// - Parameter handler: gets each value of the part, on the main actor; see the form of ``Store``
  ///   for such handlers.
  /// - Returns: the subscription, which ends when it is canceled or released.
  /// - Complexity: O(1), and for each commit the cost of selecting the part and of a delivery.
  public func subscribe(handler: @escaping @MainActor (Part) -> Void) -> Subscription {
    source.subscribe(selector: { $0 }, handler: handler)
  }

  /// The part now and after each commit that changes it, for `for await`.
  ///
  /// - Parameter buffering: which values a slow reader gets.
  /// - Returns: the sequence. It does not keep the store alive, unlike the view.
  /// - Complexity: O(1); only iterators cost the store anything.
  public func values(buffering: Buffering = .newest) -> StateValues<Part> where Part: Equatable {
    source.values(of: { $0 }, buffering: buffering)
  }

  /// The part now and after each commit, for `for await`.
  ///
  /// - Parameter buffering: which values a slow reader gets.
  /// - Returns: the sequence. It does not keep the store alive, unlike the view.
  /// - Complexity: O(1); only iterators cost the store anything.
  public func values(buffering: Buffering = .newest) -> StateValues<Part> {
    source.values(of: { $0 }, buffering: buffering)
  }
}

/// A view's store, with the type of its state erased.
protocol PartSource<Part>: Sendable {
  associatedtype Part: Sendable

  var state: Part { get }

  func narrowed<Inner: Sendable>(
    to select: @escaping @Sendable (Part) -> Inner
  ) -> any PartSource<Inner>

  func subscribe<Value: Sendable & Equatable>(
    on queue: DispatchQueue?, selector: @escaping @Sendable (Part) -> Value,
    handler: sending @escaping (Value) -> Void
  ) -> Subscription

  func subscribe<Value: Sendable>(
    on queue: DispatchQueue?, selector: @escaping @Sendable (Part) -> Value,
    handler: sending @escaping (Value) -> Void
  ) -> Subscription

  func subscribe<Value: Sendable & Equatable>(
    selector: @escaping @Sendable (Part) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription

  func subscribe<Value: Sendable>(
    selector: @escaping @Sendable (Part) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription

  func values<Value: Sendable & Equatable>(
    of selector: @escaping @Sendable (Part) -> Value, buffering: Buffering
  ) -> StateValues<Value>

  func values<Value: Sendable>(
    of selector: @escaping @Sendable (Part) -> Value, buffering: Buffering
  ) -> StateValues<Value>
}

/// A part of a store's state.
struct PartOfStore<State: Sendable, Part: Sendable>: PartSource {
  let store: Store<State>
  let select: @Sendable (State) -> Part

  var state: Part { select(store.state) }

  func narrowed<Inner: Sendable>(
    to inner: @escaping @Sendable (Part) -> Inner
  ) -> any PartSource<Inner> {
    PartOfStore<State, Inner>(store: store) { [select] in inner(select($0)) }
  }

  func subscribe<Value: Sendable & Equatable>(
    on queue: DispatchQueue?, selector: @escaping @Sendable (Part) -> Value,
    handler: sending @escaping (Value) -> Void
  ) -> Subscription {
    store.subscribe(on: queue, selector: { [select] in selector(select($0)) }, handler: handler)
  }

  func subscribe<Value: Sendable>(
    on queue: DispatchQueue?, selector: @escaping @Sendable (Part) -> Value,
    handler: sending @escaping (Value) -> Void
  ) -> Subscription {
    store.subscribe(on: queue, selector: { [select] in selector(select($0)) }, handler: handler)
  }

  func subscribe<Value: Sendable & Equatable>(
    selector: @escaping @Sendable (Part) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription {
    store.subscribe(selector: { [select] in selector(select($0)) }, handler: handler)
  }

  func subscribe<Value: Sendable>(
    selector: @escaping @Sendable (Part) -> Value, handler: @escaping @MainActor (Value) -> Void
  ) -> Subscription {
    store.subscribe(selector: { [select] in selector(select($0)) }, handler: handler)
  }

  func values<Value: Sendable & Equatable>(
    of selector: @escaping @Sendable (Part) -> Value, buffering: Buffering
  ) -> StateValues<Value> {
    store.values(of: { [select] in selector(select($0)) }, buffering: buffering)
  }

  func values<Value: Sendable>(
    of selector: @escaping @Sendable (Part) -> Value, buffering: Buffering
  ) -> StateValues<Value> {
    store.values(of: { [select] in selector(select($0)) }, buffering: buffering)
  }
}
