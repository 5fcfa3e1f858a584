/// An effect that is not over, for tests that say which one was left behind.
package struct EffectInFlight: Sendable {
  /// What the handlers get.
  package let effect: any Effect

  /// Where it was emitted.
  package let source: Cause

  package let phase: EffectPhase

  /// Whether it is the work of an ``AsyncThunk``.
  package var isThunk: Bool { effect is AsyncWork }

  init(_ run: Run) {
    effect = run.effect
    source = run.origin.cause
    phase = run.phase
  }
}

extension EffectEngine {
  /// The effects that are not over, in the order of their emission, without those that last.
  var inFlight: [EffectInFlight] {
    members.filter { $0.phase != .over && !$0.isLasting }.sorted { $0.number < $1.number }
      .map(EffectInFlight.init)
  }

  /// Effects in flight, and cancelled ones whose tasks have not returned, without those that
  /// ``unstarted`` lists already.
  var notReturned: [EffectInFlight] {
    members.filter { !$0.isCutShort }.sorted { $0.number < $1.number }.map(EffectInFlight.init)
  }

  /// Whether the current task is that of an effect that settling waits for.
  var isInSettlingTask: Bool { members.contains { !$0.isLasting && $0.isCurrent } }

  /// Whether the current task is that of an effect, which cannot wait for itself.
  var isInTask: Bool { members.contains(where: \.isCurrent) }
}
