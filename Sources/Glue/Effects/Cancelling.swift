// Ends effects early: `CancelEffects`, policies, and the store's shutdown or release.

extension EffectEngine {
  mutating func obey(_ cancel: CancelEffects) {
    if !cancel.isPart {
      lookForProblems(in: cancel)
      return self.cancel(cancel.key)
    }
    let part = AnyHashable(cancel.id)
    let groups = groups.values.filter { $0.id.lies(in: part) }
    for group in groups.sorted(by: { $0.firstNumber < $1.firstNumber }) { self.cancel(group.id) }
  }
}

extension EffectGroup {
  /// Orders groups by emission, because a dictionary's order differs from run to run.
  fileprivate var firstNumber: Int { list.first?.number ?? window?.held?.number ?? 0 }
}

extension EffectEngine {
  mutating func cancel(_ id: EffectID) {
    guard let group = groups[id] else { return }
    cancel(group)
    dismissSleeper(of: group)
    removeIfEmpty(group)
  }

  /// Cancels all effects of a group.
  ///
  /// Its sleeper stays, for the next effect.
  mutating func cancel(_ group: EffectGroup) {
    for run in group.list.all { cancel(run) }
    if let held = group.window?.held { cancel(held) }
    group.window = nil
    group.waiting = Heap()
  }

  mutating func cancel(_ run: EffectRun) {
    if run.phase.isOver { return }
    release(run)
    note(.cancelled, of: run)
    let (hasStarted, tasks) = run.cancel(revokingCalls: isOpen)
    for task in tasks { deferred.append(.cancel(task)) }
    leaveGroup(run)
    if run.isWorking { run.group?.cancelledCount += 1 }
    if !hasStarted { removeMember(run) }
  }

  /// Cancels the effects of some sources, except lasting ones.
  mutating func cancel(where isMeant: (Cause) -> Bool) {
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

  mutating func dismissSleeper(of group: EffectGroup) {
    if let sleeper = group.takeSleeper() { deferred.append(.cancel(sleeper)) }
  }
}

// MARK: - Shutting down

extension EffectEngine {
  /// Takes no more effects, and cancels lasting effects and effects that wait for a time.
  mutating func beginToFinish() {
    if mode == .open { mode = .finishing }
    let waiting = members(where: \.waitsForTime)
    unstarted? += waiting.map(EffectInFlight.init)
    cancelLasting()
    for group in groups.values {
      if let held = group.window?.held { cancel(held) }
      group.window = nil
      group.waiting = Heap()
    }
    for run in waiting { cancel(run) }
  }

  mutating func cancelLasting() {
    for group in Array(groups.values) where group.id.isLasting {
      cancel(group)
      removeIfEmpty(group)
    }
  }

  /// From now on, keeps the effects that never start, so that calls can return them.
  mutating func keepUnstarted() {
    unstarted = unstarted ?? []
  }

  /// Cancels everything for good, except queued effects that wait for nothing: these still reach
  /// their synchronous handlers.
  mutating func close() {
    if mode == .closed { return }
    beginToFinish()
    mode = .closed
    cancelUnqueued()
  }

  private mutating func cancelUnqueued() {
    let kept = Set(
      (groups.values.flatMap(\.waitingForNothing) + members.filter { $0.schedule == nil })
        .map(\.number))
    for run in members(where: { !$0.phase.isOver }) {
      if run.isInDelivery { continue }
      if kept.contains(run.number) && run.phase.isQueued {
        if startNoTasks(of: run) { unstarted?.append(EffectInFlight(run)) }
        if run.phase.isQueued { continue }
      }
      if !run.phase.hasStarted { unstarted?.append(EffectInFlight(run)) }
      cancel(run)
    }
  }

  /// Cancels everything, because the store is released.
  @usableFromInline
  mutating func cancelAll() {
    lookForForgottenResume()
    beginToFinish()
    mode = .closed
    if let unstarted { release(unstarted) }
    unstarted = nil
    for run in members { cancel(run) }
    releaseGroups()
  }

  /// Ends empty groups, and makes due what waited for canceled effects in others.
  ///
  /// No effect waits for a time any more, so no group keeps its sleeper.
  mutating func releaseGroups() {
    for group in Array(groups.values) {
      dismissSleeper(of: group)
      removeIfEmpty(group)
      makeNextDue(in: group)
    }
  }
}
