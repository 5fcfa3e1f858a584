/// An effect handler as the store sees it.
@usableFromInline
struct Handling: Sendable {
  /// Whether an effect is of the type that it handles.
  let handles: @Sendable (any Effect) -> Bool
  let work: Work

  enum Work: Sendable {
    /// A method to call; without a callback of the effect's own it uses one that all effects share.
    case sync(@Sendable (any Effect, Callback?) -> Void)

    /// A method that the main actor calls, in its order with other calls.
    case mainActor(
      MainActorCalls, @MainActor @Sendable (any Effect, @escaping DispatchFunc) -> Void)

    /// A method to start a task for.
    case async(@Sendable (any Effect, @escaping DispatchFunc) async -> Void)
  }

  @usableFromInline
  init(
    handles: @escaping @Sendable (any Effect) -> Bool,
    sync: @escaping @Sendable (any Effect, Callback?) -> Void
  ) {
    self.handles = handles
    work = .sync(sync)
  }

  init(
    handles: @escaping @Sendable (any Effect) -> Bool,
    on calls: MainActorCalls,
    mainActor: @escaping @MainActor @Sendable (any Effect, @escaping DispatchFunc) -> Void
  ) {
    self.handles = handles
    work = .mainActor(calls, mainActor)
  }

  @usableFromInline
  init(
    handles: @escaping @Sendable (any Effect) -> Bool,
    async: @escaping @Sendable (any Effect, @escaping DispatchFunc) async -> Void
  ) {
    self.handles = handles
    work = .async(async)
  }

  var isAsync: Bool {
    if case .async = work { true } else { false }
  }

  func startsTask(for effect: any Effect) -> Bool { isAsync && handles(effect) }

  /// Whether it is just called within the delivery.
  var isSync: Bool {
    if case .sync = work { true } else { false }
  }

  func callsMainActor(for effect: any Effect) -> Bool {
    if case .mainActor = work { handles(effect) } else { false }
  }
}

/// A function that dispatches for one effect.
///
/// A function in an optional of its own is wrapped at each use, at the cost of two allocations; one
/// in a structure is not.
@usableFromInline
struct Callback: Sendable {
  @usableFromInline let dispatch: DispatchFunc
}
