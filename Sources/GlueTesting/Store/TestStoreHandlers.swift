public import Glue

extension TestStore: TakesHandlers {
  /// Takes a handler, as the program's store does.
  ///
  /// Its tasks run on the clock's executor. An effect is in flight until its handlers have returned.
  /// The test doesn't send on the main actor, so a main-actor handler is called there later: receive
  /// its intents `within:` some real time.
  public func take(_ handler: NewHandler) {
    roster.add(
      handler.name(), of: handler.handled, isAsync: handler.isAsync, handles: handler.handles)
    var handler = handler
    handler.watch = watch
    store.take(handler)
  }
}

extension TestStore {
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
    roster.add(name, of: type, isStub: true, isAsync: true, handles: { $0 is E })
    store.add(effectHandler: RecordingHandler<E>(reply: reply))
    store.add(lastingHandler: { [watch] (effect: E, dispatch) in
      await watch.watch(effect, of: name, dispatch) { dispatch in
        for intent in reply(effect) { dispatch(intent) }
        await Event().wait(unless: { false })
      }
    })
  }
}
