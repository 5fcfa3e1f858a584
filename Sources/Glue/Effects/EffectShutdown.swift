extension EffectEngine {
  /// Takes no more effects, and cancels those that last and those that wait for a time.
  mutating func beginToFinish() {
    if mode == .open { mode = .finishing }
    let waiting = members.filter(\.waitsForTime).sorted { $0.number < $1.number }
    unstarted? += waiting.map(EffectInFlight.init)
    cancelLasting()
    for group in groups.values {
      if let held = group.window?.held { drop(held) }
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

  /// Cancels the effects that last.
  mutating func cancelLasting() {
    for group in Array(groups.values) where group.id.isLasting {
      cancel(group)
      removeIfEmpty(group)
    }
  }

  /// Those that waited for what has been cancelled.
  mutating func makeDue() -> [Run] {
    groups.values.flatMap(makeNextDue)
  }

  /// Cancels everything for good, but for what is queued and waits for nothing: that still reaches
  /// its synchronous handlers.
  mutating func close() {
    if mode == .closed { return }
    beginToFinish()
    mode = .closed
    cancelUnqueued()
    removeEmptyGroups()
    tellEnding()
  }

  /// Cancels all that runs or waits for others, and has the rest start no tasks.
  private mutating func cancelUnqueued() {
    let kept = Set(groups.values.flatMap(\.waitingForNothing).map(\.number))
    for run in members.sorted(by: { $0.number < $1.number }) where run.phase != .over {
      if kept.contains(run.number) || run.isInDelivery {
        if run.taskCount > 0 {
          unstarted?.append(EffectInFlight(run))
          run.startNoTasks()
        }
      } else {
        if run.phase != .running { unstarted?.append(EffectInFlight(run)) }
        cancel(run)
      }
    }
  }

  /// Cancels everything, as the store goes.
  mutating func cancelAll() {
    beginToFinish()
    mode = .closed
    if let unstarted { leftovers.append(.value(unstarted)) }
    unstarted = nil
    for run in members { cancel(run) }
    removeEmptyGroups()
  }

  /// Adds one who waits until all effects are over or, once they are cancelled, their tasks have
  /// returned.
  ///
  /// - Returns: whether there is something to wait for.
  mutating func awaitEnd(_ completion: Completion) -> Bool {
    if hasEnded { return false }
    ending.append(completion)
    return true
  }

  /// Removes one who does not wait any more.
  mutating func stopAwaitingEnd(_ completion: Completion) {
    ending.removeAll { $0 === completion }
  }

  private var hasEnded: Bool { mode == .closed ? taskCount == 0 : isIdle }

  mutating func tellEnding() {
    if ending.isEmpty || !hasEnded { return }
    leftovers += ending.map { .completion($0) }
    ending = []
  }

  private mutating func removeEmptyGroups() {
    for group in Array(groups.values) {
      dismissSleeper(of: group)
      removeIfEmpty(group)
    }
  }
}
