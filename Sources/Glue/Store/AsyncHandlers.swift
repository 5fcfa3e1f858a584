extension Store {
  /// Adds a value that does the work of effects that takes time.
  ///
  /// It gets the effects of the commits that follow, none of earlier ones (G8), each in a task of
  /// its own. The store keeps it until the store goes.
  ///
  /// - Parameter effectHandler: the handler.
  /// - Complexity: O(1), amortised.
  @inlinable
  public func add<H: AsyncEffectHandler>(effectHandler: H) {
    add(asyncHandler: { await effectHandler.handle(effect: $0, dispatch: $1) })
  }

  /// Adds a closure that does the work of one type of effects, as an ``AsyncEffectHandler`` would.
  ///
  ///     store.on(SearchEffect.self) { effect, dispatch in
  ///       dispatch(SearchIntent.found(await index.search(effect.text)))
  ///     }
  ///
  /// - Parameters:
  ///   - type: the type of the effects to handle.
  ///   - handler: is called with each of them and with a function that dispatches, in a task.
  /// - Complexity: O(1), amortised.
  @inlinable
  public func on<E: Effect>(
    _ type: E.Type, handler: @escaping @Sendable (E, @escaping DispatchFunc) async -> Void
  ) {
    add(asyncHandler: handler)
  }

  @inlinable
  func add<Handled: Sendable>(
    asyncHandler handler: @escaping @Sendable (Handled, @escaping DispatchFunc) async -> Void
  ) {
    add(
      Handling(
        handles: { handled($0, as: Handled.self) != nil },
        async: { effect, dispatch in
          guard let effect = handled(effect, as: Handled.self) else { return }
          await handler(effect, dispatch)
        }))
  }
}
