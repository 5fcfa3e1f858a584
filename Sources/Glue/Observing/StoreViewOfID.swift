// Views of what has an id: an element of a collection, or a part lifted by `withKey(_:id:use:)`.

extension Store {
  /// A view of a part that has an id, which addresses the intents of one type to it.
  ///
  ///     let left = store.view(of: \.left.present, id: "left", intent: CounterIntent.self)
  ///     left.dispatch(.add(1))
  ///
  /// The part may be an element: `store.view(of: { $0.todos[id] }, id: id, intent: TodoIntent.self)`.
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. It runs under the lock where the view is
  ///     subscribed to, and must be pure (G7).
  ///   - id: what the part is addressed by, in an ``ElementIntent``.
  ///   - intent: the type of the intents.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @inlinable
  public func view<Part: Sendable, ID: Hashable & Sendable, PartIntent: Intent>(
    of part: @escaping @Sendable (State) -> Part, id: ID, intent: PartIntent.Type
  ) -> StoreView<Part, PartIntent> {
    view(of: part) { (intent: PartIntent) in ElementIntent(id: id, intent: intent) }
  }

  /// A view of a part that has an id, which addresses any intents to it.
  ///
  /// It serves a part whose own parts have intents of several types, and is narrowed to these:
  ///
  ///     let left = store.view(of: \.left, id: "left")
  ///     let counter = left.view(of: \.present, intent: CounterIntent.self)
  ///     counter.dispatch(.add(1))
  ///     left.dispatch(HistoryIntent.undo)
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. It runs under the lock where the view is
  ///     subscribed to, and must be pure (G7).
  ///   - id: what the part is addressed by, in an ``ElementIntent``.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @inlinable
  public func view<Part: Sendable, ID: Hashable & Sendable>(
    of part: @escaping @Sendable (State) -> Part, id: ID
  ) -> StoreView<Part, any Intent> {
    view(of: part) { (intent: any Intent) in ElementIntent(id: id, intent: intent) }
  }
}

extension StoreView where PartIntent == any Intent {
  /// A view of a part of this part that dispatches intents of one type.
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - intent: the type of the intents.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, InnerIntent: Intent>(
    of inner: @escaping @Sendable (Part) -> Inner, intent: InnerIntent.Type
  ) -> StoreView<Inner, InnerIntent> {
    view(of: inner) { (intent: InnerIntent) in intent }
  }

  /// A view of a part of this part that has an id, which addresses the intents of one type to it.
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - id: what the inner part is addressed by, within this part.
  ///   - intent: the type of the intents.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, ID: Hashable & Sendable, InnerIntent: Intent>(
    of inner: @escaping @Sendable (Part) -> Inner, id: ID, intent: InnerIntent.Type
  ) -> StoreView<Inner, InnerIntent> {
    view(of: inner) { (intent: InnerIntent) in ElementIntent(id: id, intent: intent) }
  }

  /// A view of a part of this part that has an id, which addresses any intents to it.
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - id: what the inner part is addressed by, within this part.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, ID: Hashable & Sendable>(
    of inner: @escaping @Sendable (Part) -> Inner, id: ID
  ) -> StoreView<Inner, any Intent> {
    view(of: inner) { (intent: any Intent) in ElementIntent(id: id, intent: intent) }
  }
}
