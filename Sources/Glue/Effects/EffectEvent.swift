/// A change of an effect's state, for monitors that watch effects and for a journal.
@usableFromInline
package struct EffectEvent: Sendable {
  package enum Kind: Sendable {
    /// The store calls its handlers.
    case started

    /// Its handlers have returned.
    case ended

    /// The effect was canceled, dropped or replaced. If it had started, its end follows.
    case cancelled
  }

  package let kind: Kind

  /// The effect's identity: the cause of the intents that it dispatches.
  package let cause: Cause

  /// The id of a lasting effect, because the cause has only its description.
  package let lastingID: (any Hashable & Sendable)?
  package let time: ContinuousClock.Instant

  /// Whether monitors get it.
  let isWatched: Bool

  /// Whether an effect that must happen has ended.
  let isDone: Bool
}

extension EffectEngine {
  /// Records an event, to be reported after unlocking.
  mutating func note(_ kind: EffectEvent.Kind, of run: EffectRun) {
    let isDone = run.mustHappen && isDone(run, after: kind)
    if !run.isWatched && !isDone { return }
    let id = run.isLasting ? run.schedule?.id.value : nil
    events.append(
      EffectEvent(
        kind: kind, cause: run.origin.cause, lastingID: id, time: .now, isWatched: run.isWatched,
        isDone: isDone))
  }

  private func isDone(_ run: EffectRun, after kind: EffectEvent.Kind) -> Bool {
    switch kind {
    case .started: false
    case .ended: hasHappened(run, run.phase) && run.phase != .cancelled
    case .cancelled: isOpen
    }
  }

  /// Whether the effect's handlers, of which there is at least one, all got it and have returned.
  func hasHappened(_ run: EffectRun, _ phase: EffectPhase) -> Bool {
    phase.hasStarted && !run.route.handlers.isEmpty
      && !run.isTaskless
  }
}
