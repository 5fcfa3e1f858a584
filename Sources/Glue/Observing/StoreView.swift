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

extension Store {
  /// A view of a part of the state that dispatches intents of one type.
  ///
  ///     let counter = store.view(of: \.counter, intent: CounterIntent.self)
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. For subscribers of the view it runs under the
  ///     lock, and must be pure (G7).
  ///   - intent: the type of the intents.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func view<Part: Sendable, PartIntent: Intent>(
    of part: @escaping @Sendable (State) -> Part, intent: PartIntent.Type
  ) -> StoreView<Part, PartIntent> {
    makeView(of: part, send: { self.dispatch($0) })
  }

  /// A view of a part of the state, with intents that it converts to the store's.
  ///
  ///     let title = store.view(of: { $0.todos[id]?.title }) { (intent: TitleIntent) in
  ///       ElementIntent(id: id, intent: TodoIntent.title(intent))
  ///     }
  ///
  /// - Parameters:
  ///   - part: selects the part; a key path will do. For subscribers of the view it runs under the
  ///     lock, and must be pure (G7).
  ///   - convert: turns an intent of the part into one that the store's reducer knows.
  /// - Returns: the view, which keeps the store alive.
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public func view<Part: Sendable, PartIntent>(
    of part: @escaping @Sendable (State) -> Part,
    dispatching convert: @escaping @Sendable (PartIntent) -> any Intent
  ) -> StoreView<Part, PartIntent> {
    makeView(of: part, send: { self.dispatch(convert($0)) })
  }

  @usableFromInline
  func makeView<Part: Sendable, PartIntent>(
    of part: @escaping @Sendable (State) -> Part, send: @escaping @Sendable (PartIntent) -> Void
  ) -> StoreView<Part, PartIntent> {
    StoreView(source: PartOfStore(store: self, select: part), send: send)
  }
}
