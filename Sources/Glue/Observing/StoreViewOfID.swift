// Views of parts with ids: an element of a collection, or a part lifted by `withKey(_:id:use:)`.

extension Store {
  /// A view of a part with an id, to which it addresses intents of one type.
  ///
  ///     let left = store.view(of: \.left.present, id: "left", intent: CounterIntent.self)
  ///     left.dispatch(.add(1))
  ///
  /// The part may be an element:
  /// `store.view(of: { $0.todos[id] }, id: id, intent: TodoIntent.self)`.
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. For subscribers of the view it runs under the
  ///     lock, and must be pure (G7).
  ///   - id: the id to which the intents are addressed, in an ``ElementIntent``.
  ///   - intent: the type of the intents.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func view<Part: Sendable, ID: Hashable & Sendable, PartIntent: Intent>(
    of part: @escaping @Sendable (State) -> Part, id: ID, intent: PartIntent.Type
  ) -> StoreView<Part, PartIntent> {
    view(of: part) { (intent: PartIntent) in ElementIntent(id: id, intent: intent) }
  }

  /// A view of a part with an id, to which it addresses any intents.
  ///
  /// It serves a part whose own parts have intents of several types. Narrow it to these:
  ///
  ///     let left = store.view(of: \.left, id: "left")
  ///     let counter = left.view(of: \.present, intent: CounterIntent.self)
  ///     counter.dispatch(.add(1))
  ///     left.dispatch(HistoryIntent.undo)
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. For subscribers of the view it runs under the
  ///     lock, and must be pure (G7).
  ///   - id: the id to which the intents are addressed, in an ``ElementIntent``.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
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

  /// A view of a part of this part with an id, to which it addresses intents of one type.
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - id: the id to which the intents are addressed, within this part.
  ///   - intent: the type of the intents.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, ID: Hashable & Sendable, InnerIntent: Intent>(
    of inner: @escaping @Sendable (Part) -> Inner, id: ID, intent: InnerIntent.Type
  ) -> StoreView<Inner, InnerIntent> {
    view(of: inner) { (intent: InnerIntent) in ElementIntent(id: id, intent: intent) }
  }

  /// A view of a part of this part with an id, to which it addresses any intents.
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - id: the id to which the intents are addressed, within this part.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, ID: Hashable & Sendable>(
    of inner: @escaping @Sendable (Part) -> Inner, id: ID
  ) -> StoreView<Inner, any Intent> {
    view(of: inner) { (intent: any Intent) in ElementIntent(id: id, intent: intent) }
  }
}
