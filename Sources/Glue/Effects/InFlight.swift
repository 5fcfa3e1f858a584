/// An effect that is not over, for tests that say which one was left behind.
package struct EffectInFlight: Sendable {
  /// What the handlers get.
  package let effect: any Effect

  /// Where it was emitted.
  package let source: Cause

  package let phase: EffectPhase

  /// Whether it is the work of an ``AsyncThunk``.
  package var isThunk: Bool { effect is AsyncWork }

  fileprivate init(_ run: Run) {
    effect = run.effect
    source = run.origin.cause
    phase = run.phase
  }
}

extension Store {
  /// The effects that are scheduled or have tasks and are not over, in the order of their emission.
  package var effectsInFlight: [EffectInFlight] {
    guard let runner = locked(.state, { core, _ in core.runner }) else { return [] }
    return runner.runs.withLock { runs in
      runs.members.filter { $0.phase != .over }.sorted { $0.number < $1.number }
        .map(EffectInFlight.init)
    }
  }
}
