extension Store {
  /// The effects that are scheduled or have tasks and haven't ended, in the order of emission.
  package var effectsInFlight: [EffectInFlight] { read(.state) { $0.runtime.effects.inFlight } }

  /// Cancels the lasting effects; they don't start again unless a commit starts them.
  package func cancelLastingEffects() {
    change { core, _ in core.runtime.effects.cancelLasting() }
  }

  /// Cancels the effects of some sources, except lasting ones.
  package func cancelEffects(where isMeant: (Cause) -> Bool) {
    change { core, _ in core.runtime.effects.cancel(where: isMeant) }
  }
}
