/// Takes effect handlers: a ``Store``, and the ``EffectHandlers`` that a store is made with.
///
/// A handler gets the effects of the commits after it was added, none of earlier ones (G8), and the
/// effects that last by then. The store keeps it until the store is released.
public protocol TakesHandlers: AnyObject {
  /// Takes a handler that one of the forms below has made.
  func take(_ handler: NewHandler)
}

/// The handlers that a store is made with: what a block of `handlers:` gets.
///
/// The block runs before there is a store, so a handler reports back by its callback. What is added
/// after the block is ignored.
public final class EffectHandlers: TakesHandlers {
  @usableFromInline var all: [NewHandler] = []

  /// Runs a block that adds handlers.
  @usableFromInline
  package init(_ add: (EffectHandlers) throws -> Void) rethrows { try add(self) }

  /// Takes a handler for the store to be.
  public func take(_ handler: NewHandler) { all.append(handler) }
}

/// A handler that no store has yet.
public struct NewHandler {
  /// Makes it for a store, with its host and, if it needs them, its calls on the main actor.
  @usableFromInline let make: (EffectHost, () -> MainActorCalls) -> AnyHandler

  @usableFromInline
  init(_ make: @escaping (EffectHost, () -> MainActorCalls) -> AnyHandler) { self.make = make }
}

extension TakesHandlers {
  /// Adds an object that does the work of effects.
  ///
  /// The store calls it serially, on the delivering thread, so it need not be `Sendable`. See
  /// ``EffectHandler`` for what it may do.
  ///
  /// - Parameter effectHandler: the object. If it is not `Sendable`, no other code may use it.
  /// - Complexity: O(1), amortized.
  @_alwaysEmitIntoClient
  public func add<H: EffectHandler & SendableMetatype>(effectHandler: sending H) {
    let handler = effectHandler
    add { handler.handle(effect: $0, dispatch: $1) }
  }

  /// Adds a closure that does the work of one type of effects, like an ``EffectHandler``.
  ///
  ///     store.on(Copy.self) { copy, dispatch in
  ///       let hasCopied = copyFile(copy.source, copy.target)
  ///       dispatch(FileIntent.copied(copy.target, hasCopied))
  ///     }
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches. It need not be `Sendable`.
  /// - Complexity: O(1), amortized.
  @_alwaysEmitIntoClient
  public func on<E: Effect>(
    _ type: E.Type, handler: sending @escaping (E, @escaping DispatchFunc) -> Void
  ) {
    add(handler: handler)
  }

  @_alwaysEmitIntoClient
  func add<Handled: Sendable>(
    handler: sending @escaping (Handled, @escaping DispatchFunc) -> Void
  ) {
    // Sound: it was sent here, so no other code has it, and deliveries use it one at a time (G3).
    nonisolated(unsafe) let handler = handler
    take(
      NewHandler { host, _ in
        let dispatch = host.dispatch
        return AnyHandler(
          handles: { handled($0, as: Handled.self) != nil },
          .sync { effect, origin in
            guard let effect = handled(effect, as: Handled.self) else { return }
            if let origin { handler(effect, origin.dispatch) } else { handler(effect, dispatch) }
          })
      })
  }

  /// Adds a value that does the long-running work of effects, each in a task of its own.
  ///
  /// - Parameter effectHandler: the handler.
  /// - Complexity: O(1), amortized.
  @_alwaysEmitIntoClient
  public func add<H: AsyncEffectHandler>(effectHandler: H) {
    add(asyncHandler: { await effectHandler.handle(effect: $0, dispatch: $1) })
  }

  /// Adds a closure that does the work of one type of effects, like an ``AsyncEffectHandler``.
  ///
  ///     store.on(SearchEffect.self) { effect, dispatch in
  ///       dispatch(SearchIntent.found(await index.search(effect.text)))
  ///     }
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches, in a task.
  /// - Complexity: O(1), amortized.
  @_alwaysEmitIntoClient
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @Sendable (E, @escaping DispatchFunc) async -> Void
  ) {
    add(asyncHandler: handler)
  }

  @_alwaysEmitIntoClient
  func add<Handled: Sendable>(
    asyncHandler handler: @escaping @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) {
    take(
      NewHandler { _, _ in
        AnyHandler(
          handles: { handled($0, as: Handled.self) != nil },
          .async { run in run.makeTask(for: handler) })
      })
  }

  /// Adds a main-actor object that does the work of effects.
  ///
  /// Its conformance to ``EffectHandler`` belongs to the main actor, as by default in a module that
  /// isolates its code to the main actor. It promises what the form for other handlers does. Its
  /// calls are made on the main actor, in one order with those to subscribers there. An effect with
  /// a policy is running until they have returned.
  ///
  /// - Parameter effectHandler: the object.
  /// - Complexity: O(1), amortized.
  @preconcurrency @MainActor
  public func add<H: EffectHandler>(effectHandler: H) {
    add(mainActorHandler: { effectHandler.handle(effect: $0, dispatch: $1) })
  }

  /// Adds a main-actor closure that does the work of one type of effects.
  ///
  /// It promises what the form for other closures does. Its calls are made on the main actor, in
  /// one order with those to subscribers there. An effect with a policy is running until they have
  /// returned.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches.
  /// - Complexity: O(1), amortized.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @MainActor (E, @escaping DispatchFunc) -> Void
  ) {
    add(mainActorHandler: handler)
  }

  package func add<Handled: Sendable>(
    mainActorHandler handler: @escaping @MainActor (Handled, @escaping DispatchFunc) -> Void
  ) {
    take(
      NewHandler { _, calls in
        AnyHandler(
          handles: { handled($0, as: Handled.self) != nil },
          .mainActor(calls()) { effect, dispatch in
            if let effect = handled(effect, as: Handled.self) { handler(effect, dispatch) }
          })
      })
  }
}
