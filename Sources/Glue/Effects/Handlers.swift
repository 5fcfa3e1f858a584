/// A type-erased effect handler.
@usableFromInline
struct AnyHandler: Sendable {
  /// Whether it handles the type of an effect.
  let handles: @Sendable (any Effect) -> Bool
  let work: Work

  /// Whether it only watches: an effect that no other handler gets counts as unhandled.
  var isWitness = false

  /// Whether it gets lasting effects and no others.
  var takesOnlyLasting = false

  /// Whether it runs in a task.
  var isAsync: Bool { if case .async = work { true } else { false } }

  @usableFromInline
  enum Work: Sendable {
    /// Called within the delivery. An effect whose intents need no origin has none.
    case sync(@Sendable (any Effect, Origin?) -> Void)

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

extension [AnyHandler] {
  /// Calls the synchronous ones.
  @inline(__always)
  func call(for effect: any Effect, from origin: Origin?) {
    for index in indices {
      if case .sync(let handle) = self[index].work { handle(effect, origin) }
    }
  }
}

/// The handlers of one type of effects, in order of registration.
@usableFromInline
struct Route: Sendable {
  let handlers: [AnyHandler]

  /// How many of them run in a task.
  let taskCount: Int

  /// Whether all handlers are called within the delivery.
  let isSync: Bool

  /// Whether a handler does more than watch.
  let isHandled: Bool

  init(_ handlers: [AnyHandler]) {
    self.handlers = handlers
    taskCount = handlers.count(where: \.isAsync)
    isSync = handlers.allSatisfy { if case .sync = $0.work { true } else { false } }
    isHandled = handlers.contains { !$0.isWitness }
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
    let route = Route(all.filter { !$0.takesOnlyLasting && $0.handles(effect) })
    routes.append((type, route))
    return route
  }

  /// The handlers of a lasting effect, which run in tasks.
  func lastingRoute(for effect: any Effect) -> Route {
    Route(all.filter { $0.isAsync && $0.handles(effect) })
  }
}

extension Send {
  /// A handler that does the work of the effect.
  static let route = Route([
    AnyHandler(
      handles: { $0 is Send },
      .sync { effect, origin in
        if let send = effect as? Send { origin?.dispatch(send.intent) }
      })
  ])
}

/// Asynchronous work that a middleware asks its store to run in a task, by dispatching it.
@usableFromInline
struct AsyncWork: Intent, Effect {
  private let work: @Sendable (@escaping DispatchFunc) async -> Void

  init(_ work: @escaping @Sendable (@escaping DispatchFunc) async -> Void) {
    self.work = work
  }

  /// A route whose only handler runs the work, with this as its effect.
  var route: Route {
    Route([
      AnyHandler(
        handles: { _ in true },
        .async { [work] run in
          run.makeTask { (_: any Effect, dispatch) in await work(dispatch) }
        })
    ])
  }
}

extension EffectRun {
  /// The effect with an id whose task is the current one, or has created it.
  @usableFromInline static let enclosing = TaskLocal<EffectRun?>(wrappedValue: nil)

  /// Makes a task in which an asynchronous handler does the work.
  ///
  /// Inlinable, so that the task calls the handler directly: a function in between would cost each
  /// asynchronous effect a further frame, which is allocated. The closures are written twice,
  /// because one stored in a variable is wrapped in two more, which are allocated too.
  @_alwaysEmitIntoClient
  func makeTask<Handled: Sendable>(
    for handler: @escaping @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) -> Task<Void, Never> {
    guard let executor else { return Task { await self.run(handler) } }
    return Task(executorPreference: executor) { await self.run(handler) }
  }

  /// Calls a handler in its task.
  ///
  /// An effect without an id sets no task-local value, because that would cost it an allocation and
  /// a longer lookup of each other such value. Nothing waits behind it, so it needs none.
  @_alwaysEmitIntoClient @inline(__always)
  nonisolated(nonsending) func run<Handled: Sendable>(
    _ handler: @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) async {
    if let effect = handled(effect, as: Handled.self) {
      beginTask()
      if schedule == nil {
        await handler(effect, dispatch)
      } else {
        await EffectRun.enclosing.withValue(self) { await handler(effect, dispatch) }
      }
    }
    endTask()
  }

  @usableFromInline var executor: (any TaskExecutor)? { host.timer.executor }

  @usableFromInline
  func beginTask() {
    if noteTask() { host.list(currentTask()) }
    host.timer.owner?.note(effect)
  }

  @usableFromInline
  func endTask() {
    host.timer.owner?.noteEnd()
    host.endShare(of: self)
  }
}

/// A task's identity: its address, which is unique while it exists; 0 for none.
typealias TaskID = UInt

/// The current task.
///
/// Sound: the structure holds nothing but the reference to the task, as ``Task`` does; nil is 0.
func currentTask() -> TaskID {
  withUnsafeCurrentTask { unsafeBitCast($0, to: TaskID.self) }
}

/// A task's identity.
///
/// Sound because a task holds nothing but the reference.
func identity(of task: Task<Void, Never>) -> TaskID { unsafeBitCast(task, to: TaskID.self) }
