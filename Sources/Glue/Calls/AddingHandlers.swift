extension Store {
  /// Adds an object that does the work of effects.
  ///
  /// It gets the effects of later commits, none of earlier ones (G8). In a block of handlers, it gets
  /// those of all the block's intents. The store keeps it until the store is released, and calls it
  /// serially, on the delivering thread, so it need not be `Sendable`. See ``EffectHandler`` for what
  /// it may do.
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
    add { host in
      let dispatch = host.dispatch
      return AnyHandler(
        handles: { handled($0, as: Handled.self) != nil },
        .sync { effect, origin in
          guard let effect = handled(effect, as: Handled.self) else { return }
          if let origin { handler(effect, origin.dispatch) } else { handler(effect, dispatch) }
        })
    }
  }

  /// Adds a value that does the long-running work of effects.
  ///
  /// It gets the effects of later commits, none of earlier ones (G8), each in a task of its own. In a
  /// block of handlers, it gets those of all the block's intents. The store keeps it until the store
  /// is released.
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
    add { _ in
      AnyHandler(
        handles: { handled($0, as: Handled.self) != nil },
        .async { run in run.makeTask(for: handler) })
    }
  }

  /// Adds the handler that a closure makes.
  @_alwaysEmitIntoClient
  func add(_ makeHandler: (EffectHost) -> AnyHandler) {
    change(.add) { core, thread in core.add(makeHandler(prepareHost(in: &core)), by: thread) }
  }
}
