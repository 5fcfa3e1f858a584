extension Store {
  /// The effects that are scheduled or have tasks and haven't ended, in the order of emission.
  package var effectsInFlight: [EffectInFlight] { read(.state) { $0.work.effects.inFlight } }

  /// Cancels the lasting effects; they don't start again unless a commit starts them.
  package func cancelLastingEffects() {
    change { core, _ in core.work.effects.cancelLasting() }
  }

  /// Cancels the effects of some sources, except lasting ones.
  package func cancelEffects(where isMeant: (Cause) -> Bool) {
    change { core, _ in core.work.effects.cancel(where: isMeant) }
  }
}

extension EffectEngine {
  /// The effects that haven't ended, in the order of emission, without lasting ones.
  var inFlight: [EffectInFlight] {
    members(where: { !$0.phase.isOver && !$0.isLasting }).map(EffectInFlight.init)
  }

  fileprivate mutating func cancel(where isMeant: (Cause) -> Bool) {
    for run in members where !run.isLasting && !run.phase.isOver && isMeant(run.origin.cause) {
      let group = run.schedule.flatMap { groups[$0.id] }
      cancel(run)
      guard let group else { continue }
      if group.window?.held === run { group.window?.held = nil }
      let waiting = group.waiting.unordered.filter { $0.run !== run }
      group.waiting = Heap()
      for wakeup in waiting { group.waiting.insert(wakeup) }
      closeWindow(of: group, openedBy: run.number)
      makeNextDue(in: group)
      removeIfEmpty(group)
    }
  }
}
