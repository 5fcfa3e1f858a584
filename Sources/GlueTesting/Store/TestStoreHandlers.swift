public import Glue

extension TestStore {
  /// Has an object do the work of effects, as the store in the program does.
  ///
  /// - Parameter effectHandler: the object.
  public func add<H: EffectHandler & SendableMetatype>(effectHandler: sending H) {
    store.add(effectHandler: MarkedHandler(effectHandler, watch: watch))
  }

  /// Has an object of the main actor do the work of effects, as the store in the program does.
  ///
  /// What the test sends is not sent on the main actor, so the handler is called there when that
  /// gets to it: its intents are received `within:` some real time.
  ///
  /// - Parameter effectHandler: the object.
  @preconcurrency @MainActor
  public func add<H: EffectHandler>(effectHandler: H) {
    store.add(mainActorHandler: { [watch] effect, dispatch in
      watch.mark(effect, of: "\(H.self)", dispatch) {
        effectHandler.handle(effect: effect, dispatch: $0)
      }
    })
  }

  /// Has a value do the work of effects that takes time.
  ///
  /// Its tasks run on the clock's executor; its effects are in flight until they have returned.
  ///
  /// - Parameter effectHandler: the value.
  public func add<H: AsyncEffectHandler>(effectHandler: H) {
    store.add(effectHandler: WatchedHandler(handler: effectHandler, watch: watch))
  }

  /// Has a closure do the work of one type of effects.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: is called with each of them and with a function that dispatches.
  public func on<E: Effect>(
    _ type: E.Type, handler: sending @escaping (E, @escaping DispatchFunc) -> Void
  ) {
    store.on(type) { [watch] effect, dispatch in
      watch.mark(effect, of: "a closure on \(type)", dispatch) { handler(effect, $0) }
    }
  }

  /// Has a closure of the main actor do the work of one type of effects.
  ///
  /// As with an object of the main actor, its intents are received `within:` some real time.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: is called with each of them and with a function that dispatches.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @MainActor (E, @escaping DispatchFunc) -> Void
  ) {
    store.on(type) { @MainActor [watch] effect, dispatch in
      watch.mark(effect, of: "a closure on \(type)", dispatch) { handler(effect, $0) }
    }
  }

  /// Has a closure do the work of one type of effects that takes time.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: is called with each of them and with a function that dispatches, in a task.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @Sendable (E, @escaping DispatchFunc) async -> Void
  ) {
    store.on(type) { [watch] effect, dispatch in
      await watch.watch(effect, of: "a closure on \(type)", dispatch) {
        await handler(effect, $0)
      }
    }
  }

  /// Has intents dispatched for the effects of one type, instead of the work that they describe.
  ///
  ///     test.stub(SearchEffect.self) { _ in [SearchIntent.found([])] }
  ///
  /// Effects that nothing handles are only recorded.
  ///
  /// - Parameters:
  ///   - type: the type of the effects.
  ///   - reply: which intents to dispatch for an effect, in order, at once.
  public func stub<E: Effect>(
    _ type: E.Type, reply: @escaping @Sendable (E) -> [any Intent]
  ) {
    store.add(effectHandler: RecordingHandler<E>(reply: reply))
  }
}
