extension Store {
  /// The effects that are scheduled or have tasks and haven't ended, in the order of emission.
  package var effectsInFlight: [EffectInFlight] { read(.state) { $0.runtime.effects.inFlight } }

  /// The effects that keep a call waiting: those in flight, lasting ones, and canceled ones whose
  /// tasks haven't returned.
  package var unendedEffects: [EffectInFlight] {
    read(.state) { $0.runtime.effects.members(where: { _ in true }).map(EffectInFlight.init) }
  }

  /// Cancels the lasting effects; they don't start again unless a commit starts them.
  package func cancelLastingEffects() {
    change { core, _ in core.runtime.effects.cancelLasting() }
  }

  /// Cancels the effects of some sources, except lasting ones.
  package func cancelEffects(where isMeant: (Cause) -> Bool) {
    change { core, _ in core.runtime.effects.cancel(where: isMeant) }
  }

  /// Whether it takes effects: not once it is shut down.
  package var takesEffects: Bool { read(.state) { $0.runtime.effects.isOpen } }

  /// Adds a handler that only watches: an effect that no other handler gets counts as unhandled.
  package func add(witness: @escaping @Sendable (any Effect) -> Void) {
    var handler = NewHandler({ "a witness" }, of: (any Effect).self, handles: { _ in true }) {
      _, _, _ in
      .sync { effect, _ in witness(effect) }
    }
    handler.isWitness = true
    take(handler)
  }

  /// Adds a handler that gets lasting effects of a type, and no others.
  package func add<E: Effect>(
    lastingHandler handler: @escaping @Sendable (E, @escaping DispatchFunc) async -> Void
  ) {
    var stub = NewHandler({ "a stub" }, of: E.self, isAsync: true, handles: { $0 is E }) {
      _, _, _ in
      .async { run in run.makeTask(for: handler) }
    }
    stub.takesOnlyLasting = true
    take(stub)
  }
}
