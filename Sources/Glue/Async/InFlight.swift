/// An effect that is not over, for tests that say which one was left behind.
package struct EffectInFlight: Sendable {
  package enum Phase: Sendable { case queued, held, waiting, blocked, running }

  /// What the handlers get.
  package let effect: any Effect

  /// Where it was emitted.
  package let source: Cause

  package let phase: Phase

  /// Whether it is the work of an ``AsyncThunk``.
  package var isThunk: Bool { effect is AsyncWork }

  fileprivate init(_ run: Run) {
    effect = run.effect
    source = run.origin.cause
    phase = Phase(run.phase)
  }
}

extension EffectInFlight.Phase {
  fileprivate init(_ phase: Run.Phase) {
    switch phase {
    case .queued, .due: self = .queued
    case .held: self = .held
    case .waiting: self = .waiting
    case .blocked: self = .blocked
    case .running, .over: self = .running
    }
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
