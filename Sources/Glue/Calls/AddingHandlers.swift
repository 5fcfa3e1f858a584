extension Store: TakesHandlers {
  /// Adds a handler, which begins what lasts now, and what has waited for it.
  @_alwaysEmitIntoClient
  public func take(_ handler: NewHandler) {
    change(.add) { core, thread in
      add(handler, to: &core, by: thread)
      core.runtime.resumeEffects()
    }
  }
}
