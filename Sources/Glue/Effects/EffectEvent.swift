/// What has become of an effect, for those who watch.
package struct EffectEvent: Sendable {
  package enum Kind: Sendable {
    /// Its handlers are called.
    case started

    /// Its handlers have returned.
    case ended

    /// It was cancelled, dropped or replaced. If it had been started, its end is told too.
    case cancelled
  }

  package let kind: Kind

  /// Which effect it is: the cause of the intents that it dispatches.
  package let cause: Cause

  /// The id of an effect that lasts, of which the cause has a description alone.
  package let lastingID: (any Hashable & Sendable)?
  package let time: ContinuousClock.Instant
}

extension EffectEngine {
  /// Keeps what has become of an effect, if somebody watches it, to be told when the store is
  /// unlocked.
  mutating func note(_ kind: EffectEvent.Kind, of run: Run) {
    if !run.isWatched { return }
    let id: (any Hashable & Sendable)? = run.schedule.flatMap {
      $0.id.isLasting ? $0.id.value : nil
    }
    events.append(EffectEvent(kind: kind, cause: run.origin.cause, lastingID: id, time: .now))
  }
}
