public import Glue

extension TestStore {
  /// Adds an object that does the work of effects, as in the program.
  ///
  /// - Parameter effectHandler: the object.
  public func add<H: EffectHandler & SendableMetatype>(effectHandler: sending H) {
    roster.add("\(H.self)", of: H.Handled.self)
    store.add(effectHandler: MarkedHandler(effectHandler, watch: watch))
  }

  /// Adds a main-actor object that does the work of effects, as in the program.
  ///
  /// The test doesn't send on the main actor, so the handler is called there later: receive its
  /// intents `within:` some real time.
  ///
  /// - Parameter effectHandler: the object.
  @preconcurrency @MainActor
  public func add<H: EffectHandler>(effectHandler: H) {
    roster.add("\(H.self)", of: H.Handled.self)
    store.add(mainActorHandler: { [watch] effect, dispatch in
      watch.mark(effect, of: "\(H.self)", dispatch) {
        effectHandler.handle(effect: effect, dispatch: $0)
      }
    })
  }

  /// Adds a value that does the long-running work of effects.
  ///
  /// Its tasks run on the clock's executor; its effects are in flight until they have returned.
  ///
  /// - Parameter effectHandler: the value.
  public func add<H: AsyncEffectHandler>(effectHandler: H) {
    roster.add("\(H.self)", of: H.Handled.self, isAsync: true)
    store.add(effectHandler: WatchedHandler(handler: effectHandler, watch: watch))
  }

  /// Adds a closure that does the work of one type of effects.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches.
  public func on<E: Effect>(
    _ type: E.Type, handler: sending @escaping (E, @escaping DispatchFunc) -> Void
  ) {
    roster.add("a closure on \(type)", of: type)
    store.on(type) { [watch] effect, dispatch in
      watch.mark(effect, of: "a closure on \(type)", dispatch) { handler(effect, $0) }
    }
  }

  /// Adds a main-actor closure that does the work of one type of effects.
  ///
  /// As with a main-actor object, receive its intents `within:` some real time.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @MainActor (E, @escaping DispatchFunc) -> Void
  ) {
    roster.add("a closure on \(type)", of: type)
    store.on(type) { @MainActor [watch] effect, dispatch in
      watch.mark(effect, of: "a closure on \(type)", dispatch) { handler(effect, $0) }
    }
  }

  /// Adds a closure that does the long-running work of one type of effects.
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: gets each of them and a function that dispatches, in a task.
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @Sendable (E, @escaping DispatchFunc) async -> Void
  ) {
    roster.add("a closure on \(type)", of: type, isAsync: true)
    store.on(type) { [watch] effect, dispatch in
      await watch.watch(effect, of: "a closure on \(type)", dispatch) {
        await handler(effect, $0)
      }
    }
  }

  /// Dispatches intents for the effects of one type, instead of doing their work.
  ///
  ///     test.stub(SearchEffect.self) { _ in [SearchIntent.found([])] }
  ///
  /// For an effect that lasts, it dispatches them where the effect begins, and then lasts until the
  /// effect ceases. Effects without a handler are only recorded.
  ///
  /// - Parameters:
  ///   - type: the type of the effects.
  ///   - reply: returns the intents to dispatch for an effect, in order, at once.
  public func stub<E: Effect>(
    _ type: E.Type, reply: @escaping @Sendable (E) -> [any Intent]
  ) {
    let name = "a stub of \(type)"
    roster.add(name, of: type, isStub: true, isAsync: true)
    store.add(effectHandler: RecordingHandler<E>(reply: reply))
    store.add(lastingHandler: { [watch] (effect: E, dispatch) in
      await watch.watch(effect, of: name, dispatch) { dispatch in
        for intent in reply(effect) { dispatch(intent) }
        await Event().wait(unless: { false })
      }
    })
  }
}
