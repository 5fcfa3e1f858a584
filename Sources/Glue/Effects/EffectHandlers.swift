/// Takes effect handlers: a ``Store``, the ``EffectHandlers`` that a store is made with, and a test store.
///
/// So a function can add the handlers of a program to each of them:
///
///     func addHandlers(to handlers: some TakesHandlers) {
///       handlers.add(effectHandler: Mailer())
///     }
///
/// A handler gets the effects of the commits after it was added, none of earlier ones (G8), and the
/// effects that last by then. The store keeps it until the store is released.
///
/// Only the library's types conform: a handler that is not `Sendable` is called serially because one
/// store takes it, once.
public protocol TakesHandlers {
  /// Takes a handler that one of the forms below has made; each may be taken once.
  func take(_ handler: NewHandler)
}

/// The handlers that a store is made with: what a block of `handlers:` gets.
///
/// The block runs before there is a store, so a handler reports back by its callback. Handlers that
/// are added after the block are ignored.
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
  /// Its name in messages of tests.
  package let name: () -> String

  /// The type of the effects that it gets.
  package let handled: Any.Type

  /// Whether it gets an effect.
  package let handles: @Sendable (any Effect) -> Bool

  /// Whether it runs in a task.
  package let isAsync: Bool

  /// Hears of its calls in a test.
  package var watch: (any HandlerWatch)?

  /// Whether it only watches: an effect that no other handler gets counts as unhandled.
  var isWitness = false

  /// Whether it gets lasting effects and no others.
  var takesOnlyLasting = false

  /// Makes it for a store, with its host and, if it needs them, its calls on the main actor.
  @usableFromInline
  typealias Make = (EffectHost, () -> MainActorCalls, (any HandlerWatch)?) -> AnyHandler.Work

  private let make: Make

  @usableFromInline
  init(
    _ name: @escaping () -> String, of handled: Any.Type, isAsync: Bool = false,
    handles: @escaping @Sendable (any Effect) -> Bool, _ make: @escaping Make
  ) {
    (self.name, self.handled, self.isAsync) = (name, handled, isAsync)
    (self.handles, self.make) = (handles, make)
  }

  @usableFromInline
  func made(for host: EffectHost, _ calls: () -> MainActorCalls) -> AnyHandler {
    var handler = AnyHandler(handles: handles, make(host, calls, watch))
    (handler.isWitness, handler.takesOnlyLasting) = (isWitness, takesOnlyLasting)
    return handler
  }
}

/// Hears of the calls of handlers in a test, and makes them.
@usableFromInline
package protocol HandlerWatch: Sendable {
  /// Calls a synchronous handler for an effect.
  func mark(
    _ effect: any Sendable, of handler: String, _ dispatch: @escaping DispatchFunc,
    _ work: (@escaping DispatchFunc) -> Void)

  /// Calls an asynchronous handler for an effect.
  nonisolated(nonsending) func watch(
    _ effect: any Sendable, of handler: String, _ dispatch: @escaping DispatchFunc,
    _ work: nonisolated(nonsending) (@escaping DispatchFunc) async -> Void) async
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
    add({ "\(H.self)" }) { handler.handle(effect: $0, dispatch: $1) }
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
    add({ "a closure on \(type)" }, handler: handler)
  }

  @_alwaysEmitIntoClient
  func add<Handled: Sendable>(
    _ name: @escaping () -> String,
    handler: sending @escaping (Handled, @escaping DispatchFunc) -> Void
  ) {
    // Sound: it was sent here, so no other code has it, and deliveries use it one at a time (G3).
    nonisolated(unsafe) let handler = handler
    take(
      NewHandler(name, of: Handled.self, handles: { handled($0, as: Handled.self) != nil }) {
        host, _, watch in
        let dispatch = host.dispatch
        if let watch {
          let name = name()
          return .sync { effect, origin in
            guard let effect = handled(effect, as: Handled.self) else { return }
            watch.mark(effect, of: name, origin?.dispatch ?? dispatch) { handler(effect, $0) }
          }
        }
        return .sync { effect, origin in
          guard let effect = handled(effect, as: Handled.self) else { return }
          if let origin { handler(effect, origin.dispatch) } else { handler(effect, dispatch) }
        }
      })
  }

  /// Adds a value that does the long-running work of effects, each in a task of its own.
  ///
  /// - Parameter effectHandler: the handler.
  /// - Complexity: O(1), amortized.
  @_alwaysEmitIntoClient
  public func add<H: AsyncEffectHandler>(effectHandler: H) {
    add({ "\(H.self)" }, asyncHandler: { await effectHandler.handle(effect: $0, dispatch: $1) })
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
    add({ "a closure on \(type)" }, asyncHandler: handler)
  }

  @_alwaysEmitIntoClient
  func add<Handled: Sendable>(
    _ name: @escaping () -> String,
    asyncHandler handler: @escaping @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) {
    take(
      NewHandler(
        name, of: Handled.self, isAsync: true, handles: { handled($0, as: Handled.self) != nil }
      ) { _, _, watch in
        if let watch {
          let name = name()
          return .async { run in
            run.makeTask { (effect: Handled, dispatch) in
              await watch.watch(effect, of: name, dispatch) { await handler(effect, $0) }
            }
          }
        }
        return .async { run in run.makeTask(for: handler) }
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
    add({ "\(H.self)" }, mainActorHandler: { effectHandler.handle(effect: $0, dispatch: $1) })
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
    add({ "a closure on \(type)" }, mainActorHandler: handler)
  }

  func add<Handled: Sendable>(
    _ name: @escaping () -> String,
    mainActorHandler handler: @escaping @MainActor (Handled, @escaping DispatchFunc) -> Void
  ) {
    take(
      NewHandler(name, of: Handled.self, handles: { handled($0, as: Handled.self) != nil }) {
        _, calls, watch in
        let name = watch == nil ? "" : name()
        return .mainActor(calls()) { effect, dispatch in
          guard let effect = handled(effect, as: Handled.self) else { return }
          guard let watch else { return handler(effect, dispatch) }
          watch.mark(effect, of: name, dispatch) { handler(effect, $0) }
        }
      })
  }
}
