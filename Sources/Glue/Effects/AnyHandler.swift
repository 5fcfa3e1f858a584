/// A type-erased effect handler.
@usableFromInline
struct AnyHandler: Sendable {
  /// Whether it handles the type of an effect.
  let handles: @Sendable (any Effect) -> Bool
  let work: Work

  /// Whether it runs in a task.
  var isAsync: Bool { if case .async = work { true } else { false } }

  @usableFromInline
  enum Work: Sendable {
    /// Called within the delivery. Without a callback of the effect's own, it uses a shared one.
    case sync(@Sendable (any Effect, Callback?) -> Void)

    /// Called on the main actor, in order with its other calls.
    case mainActor(
      MainActorCalls, @MainActor @Sendable (any Effect, @escaping DispatchFunc) -> Void)

    /// Starts a task that does the work, and that ends its share of the effect.
    case async(@Sendable (EffectRun) -> Task<Void, Never>)
  }

  @usableFromInline
  init(handles: @escaping @Sendable (any Effect) -> Bool, _ work: Work) {
    self.handles = handles
    self.work = work
  }
}

/// A function that dispatches for one effect.
///
/// A structure, because an optional function is wrapped at each use, at the cost of two
/// allocations.
@usableFromInline
struct Callback: Sendable {
  @usableFromInline let dispatch: DispatchFunc
}

/// The handlers of one type of effects, in order of registration.
@usableFromInline
struct Route: Sendable {
  let handlers: [AnyHandler]

  /// How many of them run in a task.
  let taskCount: Int

  /// Whether all handlers are called within the delivery.
  let isSync: Bool

  init(_ handlers: [AnyHandler]) {
    self.handlers = handlers
    taskCount = handlers.count(where: \.isAsync)
    isSync = handlers.allSatisfy { if case .sync = $0.work { true } else { false } }
  }
}

/// A store's handlers.
///
/// Each is asked once per type of effects, not per effect.
@usableFromInline
struct Handlers: Sendable {
  private(set) var all: [AnyHandler] = []

  /// An array, because programs have few types of effects.
  private var routes: [(type: ObjectIdentifier, route: Route)] = []

  mutating func append(_ handler: AnyHandler) {
    all.append(handler)
    routes = []
  }

  /// The handlers of an effect's type.
  mutating func route(for effect: any Effect) -> Route {
    let type = ObjectIdentifier(type(of: effect))
    for index in routes.indices where routes[index].type == type { return routes[index].route }
    let route = Route(all.filter { $0.handles(effect) })
    routes.append((type, route))
    return route
  }
}

extension Send {
  /// A handler that does the work of the effect.
  static let route = Route([
    AnyHandler(
      handles: { $0 is Send },
      .sync { effect, callback in
        if let send = effect as? Send { callback?.dispatch(send.intent) }
      })
  ])
}
