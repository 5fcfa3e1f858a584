extension EffectEngine {
  /// Takes no more effects, and cancels lasting effects and effects that wait for a time.
  mutating func beginToFinish() {
    if mode == .open { mode = .finishing }
    let waiting = members.filter(\.waitsForTime).sorted { $0.number < $1.number }
    unstarted? += waiting.map(EffectInFlight.init)
    cancelLasting()
    for group in groups.values {
      if let held = group.window?.held { cancel(held) }
      group.window = nil
      group.waiting = Heap()
    }
    for run in waiting { cancel(run) }
    removeEmptyGroups()
  }

  /// Keeps the effects that never start from now on, so that calls can return them.
  mutating func keepUnstarted() {
    unstarted = unstarted ?? []
  }

  mutating func cancelLasting() {
    for group in Array(groups.values) where group.id.isLasting {
      cancel(group)
      removeIfEmpty(group)
    }
  }

  /// Cancels the effects of some sources, except those that last.
  ///
  /// - Returns: the effects that waited for them.
  mutating func cancel(where isMeant: (Cause) -> Bool) -> [EffectRun] {
    var due: [EffectRun] = []
    for run in members where !run.isLasting && !run.phase.isOver && isMeant(run.origin.cause) {
      let group = run.schedule.flatMap { groups[$0.id] }
      cancel(run)
      guard let group else { continue }
      if group.window?.held === run { group.window?.held = nil }
      let waiting = group.waiting.unordered.filter { $0.run !== run }
      group.waiting = Heap()
      for wakeup in waiting { group.waiting.insert(wakeup) }
      due += makeNextDue(in: group)
      removeIfEmpty(group)
    }
    return due
  }

  /// Makes due what waited for effects that were cancelled.
  mutating func makeDue() -> [EffectRun] {
    groups.values.flatMap(makeNextDue)
  }

  /// Cancels everything for good, except queued effects that wait for nothing: these still reach
  /// their synchronous handlers.
  mutating func close() {
    if mode == .closed { return }
    beginToFinish()
    mode = .closed
    cancelUnqueued()
    removeEmptyGroups()
  }

  private mutating func cancelUnqueued() {
    let kept = Set(
      (groups.values.flatMap(\.waitingForNothing) + members.filter { $0.schedule == nil })
        .map(\.number))
    for run in members.sorted(by: { $0.number < $1.number }) where !run.phase.isOver {
      if run.isInDelivery { continue }
      if kept.contains(run.number) && run.phase.isQueued {
        if startNoTasks(of: run) { unstarted?.append(EffectInFlight(run)) }
        if run.phase.isQueued { continue }
      }
      if !run.phase.hasStarted { unstarted?.append(EffectInFlight(run)) }
      cancel(run)
    }
  }

  /// Cancels everything, as the store goes.
  @usableFromInline
  mutating func cancelAll() {
    lookForForgottenResume()
    beginToFinish()
    mode = .closed
    if let unstarted { release(unstarted) }
    unstarted = nil
    for run in members { cancel(run) }
    removeEmptyGroups()
  }

  private mutating func removeEmptyGroups() {
    for group in Array(groups.values) {
      dismissSleeper(of: group)
      removeIfEmpty(group)
    }
  }
}
