extension EffectEngine {
  /// Notes that the task of an effect has returned.
  ///
  /// - Returns: those that waited for it.
  mutating func taskEnded(of run: Run) -> [Run] {
    run.tasksLeft -= 1
    if run.phase == .over { run.group?.cancelledTaskCount -= 1 }
    run.group?.taskCount -= 1
    taskCount -= 1
    return ended(run)
  }

  /// Notes that a task of an effect, or the delivery to its synchronous handlers, has ended.
  ///
  /// - Returns: those that waited for it.
  mutating func ended(_ run: Run) -> [Run] {
    let group = run.group  // which it may leave
    run.unfinished -= 1
    if run.unfinished == 0 { leave(run) }
    tellEnding()
    guard let group else { return [] }
    removeIfEmpty(group)
    return makeNextDue(in: group)
  }

  /// Removes an effect of which nothing is left to end.
  private mutating func leave(_ run: Run) {
    if let index = run.index, let last = members.popLast() {
      if last !== run {
        last.index = index
        members[index] = last
      }
      run.index = nil
      if run.isLasting { lastingCount -= 1 }
    }
    if run.hasStarted { note(.ended, of: run) }
    finish(run)
    if run.mustHappen { recordEnd(of: run) }
  }

  /// Notes that an effect is over, although tasks of it may not have returned.
  private mutating func finish(_ run: Run) {
    if run.phase == .over { return }
    run.phase = .over
    _ = run.group?.line.remove(at: run.place)
    end(run.origin)
  }

  /// Says that intents sent from now on, by a callback that was kept, are not part of what is
  /// waited for.
  @usableFromInline
  mutating func end(_ origin: Origin) {
    if let activity = origin.activity.take() { leftovers.append(.value(activity)) }
  }

  /// Those that wait for earlier ones of their group and need not wait any more: the first one, or
  /// of lasting effects all, which are one effect for several handlers.
  func makeNextDue(in group: Group) -> [Run] {
    guard let first = group.line.first else { return [] }
    if first.isLasting { return group.line.all.filter(makeDue) }
    return makeDue(first) ? [first] : []
  }

  private func makeDue(_ run: Run) -> Bool {
    if run.phase != .blocked || !mayStart(run) { return false }
    run.phase = .due
    return true
  }

  mutating func removeIfEmpty(_ group: Group) {
    if !group.isEmpty { return }
    guard let index = groups.index(forKey: group.id), groups[index].value === group else { return }
    let (id, _) = groups.remove(at: index)
    dismissSleeper(of: group)
    leftovers.append(.value(id))
    leftovers.append(.value(group))
  }

  /// Ends an effect whose turn was lost, and the window that its start was to open.
  mutating func lose(_ run: Run) -> [Run] {
    if run.phase == .over { return [] }
    let held = run.group.map { closeWindow(of: $0, openedBy: run.number) } ?? []
    run.unfinished = 1
    return held + ended(run)
  }
}

// MARK: - Cancelling

extension EffectEngine {
  /// Cancels all effects with an id.
  mutating func cancel(_ id: EffectID) {
    guard let group = groups[id] else { return }
    cancel(group)
    dismissSleeper(of: group)
    removeIfEmpty(group)
  }

  /// Cancels all effects of a group; who sleeps for it may wake for the next one.
  mutating func cancel(_ group: Group) {
    for run in group.line.all { cancel(run) }
    if let held = group.window?.held { drop(held) }
    group.window = nil
    group.waiting = Heap()
  }

  mutating func cancel(_ run: Run) {
    if run.phase == .over { return }
    run.isRevoked = isOpen
    leftovers.append(.value(run))
    note(.cancelled, of: run)
    if run.mustHappen { recordCancellation(of: run) }
    run.group?.cancelledTaskCount += run.tasksLeft
    for task in run.tasks { leftovers.append(.task(task)) }
    run.origin.cancel()
    if run.unfinished == 0 { leave(run) } else { finish(run) }
  }

  /// Lets nobody sleep for a group.
  mutating func dismissSleeper(of group: Group) {
    if let sleeper = group.takeSleeper() { leftovers.append(.task(sleeper)) }
  }

  /// Removes an effect that never starts, or never was a member.
  mutating func drop(_ run: Run) {
    leftovers.append(.value(run))
    note(.cancelled, of: run)
    if run.mustHappen { recordCancellation(of: run) }
    leave(run)
  }
}
