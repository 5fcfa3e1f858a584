// The decisions of policies: when an effect is emitted, and when its turn in the outbox comes.

extension EffectEngine {
  /// Adds an effect as its policy says, which may cancel other effects, or this one.
  ///
  /// - Returns: whether it is to be enqueued for its turn.
  mutating func emit(_ run: EffectRun, as schedule: Schedule) -> Bool {
    let group = group(of: schedule.id)
    switch schedule.policy {
    case .latest, .replacing:
      cancel(group)
      dismissSleeper(of: group)
    case .debounce:
      cancel(group)
    case .leading:
      if !group.list.isEmpty {
        cancel(run)
        return false
      }
    case .throttle(_, let latest):
      if let window = group.window {
        if window.held == nil || latest { hold(run, in: group) } else { cancel(run) }
        return false
      }
    case .sequential:
      if run.origin.activity?.isAwaited(in: group) == true { stopForWaitingBehindItself() }
    case .delay:
      break
    }
    add(run, to: group)
    if run.window != nil { group.window = Window(opener: run.number) }
    return true
  }

  /// Adds a new lasting effect.
  mutating func begin(_ stay: LastingStay, to route: Route, in runner: EffectRunner) -> EffectRun {
    let run = EffectRun(
      stay.effect.effect, Schedule(id: stay.effect.key, policy: .replacing), to: route,
      from: Origin(cause: .lasting("\(stay.effect.id)", sinceCommit: stay.since), runner: runner),
      in: runner)
    add(run, to: group(of: stay.effect.key))
    return run
  }

  /// Decides what an effect does at its turn; `now` is the time, if its policy needs it.
  ///
  /// - Returns: whether it starts. If not, it was canceled, or it waits: for others or for its
  ///   time.
  mutating func beginTurn(of run: EffectRun, at now: Duration?) -> Bool {
    if !run.phase.isQueued { return false }
    if !mayStart(run) {
      run.become(.blocked)
      return false
    }
    if run.phase == .queued, let wait = run.schedule?.policy.wait, let now {
      run.become(.waiting)
      run.group?.waiting.insert(Wakeup(deadline: now + min(wait, longestTime), run: run))
      return false
    }
    if !start(run) { return false }
    if let group = run.group, group.window?.opener == run.number, let window = run.window, let now {
      group.window?.end = now + min(window, longestTime)
    }
    return true
  }

  /// Whether an effect need not wait for others of its group.
  func mayStart(_ run: EffectRun) -> Bool {
    guard let group = run.group else { return true }
    switch run.schedule?.policy {
    case .sequential: return group.list.first === run
    case .replacing: return (run.isLasting ? group.cancelledCount : group.workingCount) == 0
    case .latest, .leading, .debounce, .throttle, .delay, nil: return true
    }
  }

  /// Makes the next effect of a group due that need wait no longer.
  ///
  /// Lasting ones become due all at once, because they are one effect for several handlers.
  mutating func makeNextDue(in group: EffectGroup) {
    guard let first = group.list.first else { return }
    let next = first.isLasting ? group.list.all : [first]
    for run in next where run.phase == .blocked && mayStart(run) { makeDue(run) }
  }

  mutating func makeDue(_ run: EffectRun) {
    run.become(.due)
    due.append(run)
  }

  /// Holds a throttled effect until the window ends, instead of the one held before.
  private mutating func hold(_ run: EffectRun, in group: EffectGroup) {
    if let old = group.window?.held { cancel(old) }
    add(run)
    run.become(.held)
    group.window?.held = run
  }

  /// Closes the window that an effect opened; the held one becomes due, and opens it anew.
  mutating func closeWindow(of group: EffectGroup, openedBy number: Int) {
    guard let window = group.window, window.opener == number else { return }
    group.window = nil
    guard let held = window.held else { return }
    if held.window != nil { group.window = Window(opener: held.number) }
    held.group = group
    group.list.append(held)
    makeDue(held)
  }

  /// Makes due the effects for which a group's sleeper slept; its window may end too.
  ///
  /// - Returns: the deadline until which it sleeps again, if any.
  mutating func wake(_ group: EffectGroup, _ sleeper: Int, at now: Duration) -> Duration? {
    if group.sleeper?.number != sleeper { return nil }
    while let next = group.waiting.first, next.deadline <= now {
      _ = group.waiting.popFirst()
      makeDue(next.run)
    }
    if let window = group.window, let end = window.end, end <= now {
      closeWindow(of: group, openedBy: window.opener)
    }
    let sleepUntil = group.sleepAgain()
    removeIfEmpty(group)
    return sleepUntil
  }
}

extension EffectGroup {
  /// The effects that start at their turn, independent of others, or that are with their
  /// synchronous handlers now.
  var waitingForNothing: [EffectRun] {
    var isAllQueued = true
    return list.all.filter { run in
      let isQueued = run.phase.isQueued || run.isInDelivery
      defer { if !isQueued { isAllQueued = false } }
      switch run.schedule?.policy {
      case .sequential: return isQueued && isAllQueued
      case .replacing: return isQueued && workingCount == 0
      case .latest, .leading, .debounce, .throttle, .delay, nil: return isQueued
      }
    }
  }
}

extension EffectRun {
  var window: Duration? { schedule?.policy.window }

  /// Whether it needs the time at its turn.
  var asksForTime: Bool { schedule?.policy.wait != nil || window != nil }

  /// Whether it starts only after some time.
  var waitsForTime: Bool {
    switch phase {
    case .waiting, .held: true
    case .queued: schedule?.policy.wait != nil
    case .due, .blocked, .taskless, .starting, .running, .cancelled, .left, .over: false
    }
  }
}
