// The effects that have not ended, as tests and a shutdown name them.

extension EffectRun {
  /// Whether it is left over, and no handler has been added for it.
  fileprivate var waitsForHandler: Bool { phase == .unfinished && isLeftOver }
}

/// An effect that hasn't ended, even if it is queued or waits, for tests that name leftovers.
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
    source = run.cause
    phase = run.phase == .starting ? .running : run.phase
  }
}

extension EffectEngine {
  /// The effects that haven't ended, without lasting ones: those that wait to be resumed, and the
  /// others in the order of emission.
  var inFlight: [EffectInFlight] {
    let left = unfinished.filter(\.waitsForHandler)
    return (left + members(where: { !$0.phase.isOver && !$0.isLasting })).map(EffectInFlight.init)
  }

  /// The effects that haven't ended although the engine is closed, without those that a shutdown
  /// kept from starting tasks, which are in `unstarted`.
  var notReturned: [UnfinishedWork] {
    members(where: { !$0.isSynchronous }).map { run in
      switch run.phase {
      case .canceled, .over: UnfinishedWork(run, .canceled)
      case .starting, .running: UnfinishedWork(run, .running)
      case .queued, .due, .waiting, .blocked, .held, .synchronous, .unfinished:
        UnfinishedWork(run, .queued)
      }
    }
  }
}

extension UnfinishedWork {
  init(_ run: EffectRun, _ reason: Reason) {
    self = .effect(run.effect, id: run.groupID?.value, because: reason)
  }
}
