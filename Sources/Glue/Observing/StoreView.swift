/// A part of a store's state with a dispatch of its intents: all that a component needs of the
/// store.
///
/// The component is written, previewed and tested without knowing what else the state holds or how
/// its intents reach the store. Its properties are read through the view:
///
///     let counter = store.view(of: \.counter, intent: CounterIntent.self)
///     counter.dispatch(.add(1))
///     print(counter.value)  // that is counter.state.value
///
/// Let a value of its own, the component's props, compute from the view what the component shows
/// and does. Then the drawing code decides nothing:
///
///     struct CounterProps {
///       let title: String
///       let increment: () -> Void
///
///       init(_ counter: StoreView<Counter, CounterIntent>) {
///         title = "Count: \(counter.value)"
///         increment = { counter.dispatch(.add(1)) }
///       }
///     }
///
/// A view holds no value: it reads the store, on any thread, and is as cheap to make as to keep. It
/// keeps its store alive, like a reference to the store, and so do props that dispatch. A
/// subscriber's handler that holds the view keeps the store until the subscription is canceled, and
/// an effect handler should use its callback instead. A reducer must not use a view (G7).
@dynamicMemberLookup
public struct StoreView<Part: Sendable, PartIntent>: Sendable {
  let source: any PartSource<Part>
  private let send: @Sendable (PartIntent) -> Void

  fileprivate init(source: any PartSource<Part>, send: @escaping @Sendable (PartIntent) -> Void) {
    self.source = source
    self.send = send
  }

  /// The part, as of the last commit.
  ///
  /// - Complexity: that of ``Store/state`` and of selecting the part.
  public var state: Part { source.state }

  /// A property of the part, as of the last commit.
  ///
  /// - Parameter keyPath: the path to the property; `view.value` is `view.state.value`.
  /// - Complexity: that of ``state``.
  public subscript<Value>(dynamicMember keyPath: KeyPath<Part, Value>) -> Value {
    state[keyPath: keyPath]
  }

  /// Dispatches an intent of the part; it promises what ``Store/dispatch(_:)`` does.
  ///
  /// - Parameter intent: what should happen.
  /// - Complexity: that of ``Store/dispatch(_:)``.
  public func dispatch(_ intent: PartIntent) {
    send(intent)
  }

  /// A view of a part of this part, for a nested component, with the same intents.
  ///
  /// - Parameter inner: selects the inner part; a key path will do.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable>(
    of inner: @escaping @Sendable (Part) -> Inner
  ) -> StoreView<Inner, PartIntent> {
    StoreView<Inner, PartIntent>(source: source.narrowed(to: inner), send: send)
  }

  /// A view of a part of this part, for a nested component, with intents of its own.
  ///
  ///     let title = todo.view(of: \.title) { (intent: TitleIntent) in .title(intent) }
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - convert: turns an intent of the inner part into one of this part.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, InnerIntent>(
    of inner: @escaping @Sendable (Part) -> Inner,
    dispatching convert: @escaping @Sendable (InnerIntent) -> PartIntent
  ) -> StoreView<Inner, InnerIntent> {
    StoreView<Inner, InnerIntent>(source: source.narrowed(to: inner)) { [send] in
      send(convert($0))
    }
  }
}

extension StoreView where PartIntent == any Intent {
  /// A view of a part of this part that dispatches intents of one type.
  ///
  /// - Parameters:
  ///   - inner: selects the inner part; a key path will do.
  ///   - id: addresses the intents, within this part, by an ``ElementIntent``.
  ///   - intent: the type of the intents.
  /// - Returns: the view.
  /// - Complexity: O(1).
  public func view<Inner: Sendable, ID: Hashable & Sendable, InnerIntent: Intent>(
    of inner: @escaping @Sendable (Part) -> Inner, id: ID? = Never?.none, intent: InnerIntent.Type
  ) -> StoreView<Inner, InnerIntent> {
    guard let id else { return view(of: inner) { (intent: InnerIntent) in intent } }
    return view(of: inner) { (intent: InnerIntent) in ElementIntent(id: id, intent: intent) }
  }
}

extension Store {
  /// A view of a part of the state that dispatches intents of one type.
  ///
  ///     let counter = store.view(of: \.counter, intent: CounterIntent.self)
  ///     counter.dispatch(.add(1))
  ///
  /// The part may have an id, as an element has, or a part lifted by `withKey(_:id:use:)`:
  ///
  ///     let left = store.view(of: \.left.present, id: "left", intent: CounterIntent.self)
  ///
  ///     let todo = store.view(of: { $0.todos[id] }, id: id, intent: TodoIntent.self)
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. For subscribers of the view it runs under the
  ///     lock, and must be pure (G7).
  ///   - id: addresses the intents, by an ``ElementIntent``.
  ///   - intent: the type of the intents.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func view<Part: Sendable, ID: Hashable & Sendable, PartIntent: Intent>(
    of part: @escaping @Sendable (State) -> Part, id: ID? = Never?.none, intent: PartIntent.Type
  ) -> StoreView<Part, PartIntent> {
    guard let id else { return makeView(of: part, send: { self.dispatch($0) }) }
    return makeView(of: part, send: { self.dispatch(ElementIntent(id: id, intent: $0)) })
  }

  /// A view of a part of the state that dispatches any intents.
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
  ///   - id: addresses the intents, by an ``ElementIntent``.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func view<Part: Sendable, ID: Hashable & Sendable>(
    of part: @escaping @Sendable (State) -> Part, id: ID? = Never?.none
  ) -> StoreView<Part, any Intent> {
    guard let id else { return makeView(of: part, send: { self.dispatch($0) }) }
    return makeView(of: part, send: { self.dispatch(ElementIntent(id: id, intent: $0)) })
  }

  @usableFromInline
  func makeView<Part: Sendable, PartIntent>(
    of part: @escaping @Sendable (State) -> Part, send: @escaping @Sendable (PartIntent) -> Void
  ) -> StoreView<Part, PartIntent> {
    StoreView(source: PartOfStore(store: self, select: part), send: send)
  }
}
