/// An effect that hasn't ended, for tests and shutdowns that name leftovers.
package struct EffectInFlight: Sendable {
  /// The effect that the handlers get.
  package let effect: any Effect

  /// The cause of the intents that it dispatches.
  package let source: Cause

  package let phase: EffectPhase

  /// Whether it is the work of an ``AsyncThunk``.
  package var isThunk: Bool { effect is AsyncWork }

  init(_ run: EffectRun) {
    effect = run.effect
    source = run.origin.cause
    phase = run.phase == .starting ? .running : run.phase
  }
}

extension EffectEngine {
  /// The effects that haven't ended, in the order of emission, without lasting ones.
  var inFlight: [EffectInFlight] {
    members(where: { !$0.phase.isOver && !$0.isLasting }).map(EffectInFlight.init)
  }

  /// The effects that haven't ended, including canceled ones that haven't returned, without those
  /// that a shutdown kept from starting tasks.
  var notReturned: [EffectInFlight] {
    members(where: { $0.phase != .taskless }).map(EffectInFlight.init)
  }
}
