// What happens to effects when their turn comes, and when something of them ends.

/// What can happen to an effect when its turn comes.
enum Turn: Sendable {
  /// It was cancelled, or waits for earlier ones.
  case skip

  /// It waits for a time, if nothing happens before.
  case wait(Duration)

  /// It starts, and perhaps opens a window: a time in which others of its id do not start.
  case start(window: Duration?)
}

extension Runs {
  /// Adds an effect without a policy, to start at once.
  ///
  /// - Returns: whether it may; not so after the shutdown.
  mutating func startNow(_ run: Run) -> Bool {
    if isShutDown { return false }
    add(run)
    start(run)
    return true
  }

  /// Says what an effect does now.
  mutating func turn(of run: Run) -> Turn {
    guard run.phase == .queued || run.phase == .due, let schedule = run.schedule else {
      return .skip
    }
    if run.phase == .queued {
      switch schedule.policy {
      case .delay(let duration) where duration > .zero,
        .debounce(let duration) where duration > .zero:
        run.phase = .waiting
        return .wait(duration)
      case .sequential where groups[schedule.id]?.runs.first !== run:
        run.phase = .blocked
        return .skip
      default: break
      }
    }
    start(run)
    let isOpener = groups[schedule.id]?.window?.opener == run.number
    return .start(window: isOpener ? run.window : nil)
  }

  private mutating func start(_ run: Run) {
    run.phase = .running
    run.unfinished = run.taskCount + 1
    taskCount += run.taskCount
  }

  /// Makes a task of an effect, unless that was cancelled meanwhile.
  ///
  /// It is made under the lock, so that it is known before it runs; that calls nothing of the
  /// user's.
  mutating func startTask(of run: Run, _ make: () -> Task<Void, Never>) {
    if run.phase != .over { return run.add(make()) }
    run.unfinished -= 1
    taskCount -= 1
  }

  /// Keeps the timer of an effect, to be cancelled with it.
  ///
  /// - Returns: whether the effect is not over.
  mutating func keep(_ timer: Task<Void, Never>, of run: Run) -> Bool {
    if run.phase == .over { return false }
    run.add(timer)
    return true
  }

  /// Keeps the timer of the window that an effect has opened.
  ///
  /// - Returns: whether the window is still open.
  mutating func keep(_ timer: Task<Void, Never>, ofWindowOf run: Run) -> Bool {
    guard let id = run.schedule?.id, groups[id]?.window?.opener == run.number else { return false }
    groups[id]?.window?.timer = timer
    return true
  }

  /// Notes that an effect has waited for its time.
  ///
  /// - Returns: whether it was not cancelled, and is to be given its turn.
  mutating func due(_ run: Run) -> Bool {
    if run.phase != .waiting { return false }
    run.phase = .due
    return true
  }

  /// Closes the window that an effect opened, or starts the effect that is held, which opens it
  /// anew.
  ///
  /// - Returns: that effect, to be given its turn.
  mutating func closeWindow(
    of id: EffectID, openedBy number: Int, _ removed: inout Removed
  ) -> Run? {
    guard let window = groups[id]?.window, window.opener == number else { return nil }
    guard let held = window.held else {
      groups[id]?.window = nil
      removeIfEmpty(id, &removed)
      return nil
    }
    groups[id]?.window = held.window.map { _ in Window(opener: held.number) }
    groups[id]?.runs.append(held)
    held.phase = .due
    return held
  }

  /// Notes that an effect has lost its turn.
  ///
  /// - Returns: whether the caller is to end all that are lost; if not, somebody is doing that.
  mutating func lose(_ run: Run) -> Bool {
    lost.append(run)
    defer { isEndingLost = true }
    return !isEndingLost
  }

  /// An effect that has lost its turn and is to be ended, if there is one.
  mutating func takeLost() -> Run? {
    isEndingLost = !lost.isEmpty
    return lost.popLast()
  }

  /// Ends an effect that has lost its turn.
  ///
  /// - Returns: one that waited for it, to be given its turn.
  mutating func endLost(_ run: Run, _ removed: inout Removed) -> Run? {
    if run.phase == .over { return nil }
    run.unfinished = 1
    return ended(run, &removed)
  }

  /// Notes that the task of an effect has returned.
  ///
  /// - Returns: one that waited for it, to be given its turn.
  mutating func taskEnded(of run: Run, _ removed: inout Removed) -> Run? {
    taskCount -= 1
    return ended(run, &removed)
  }

  /// Notes that a task of an effect, or the delivery to its synchronous handlers, has ended.
  ///
  /// - Returns: one that waited for it, to be given its turn.
  mutating func ended(_ run: Run, _ removed: inout Removed) -> Run? {
    run.unfinished -= 1
    if run.unfinished > 0 { return nil }
    leave(run)
    if run.phase == .over { return nil }
    run.phase = .over
    guard let id = run.schedule?.id else { return nil }
    if let index = groups[id]?.runs.firstIndex(where: { $0 === run }) {
      groups[id]?.runs.remove(at: index)
    }
    removeIfEmpty(id, &removed)
    guard let next = groups[id]?.runs.first, next.phase == .blocked else { return nil }
    next.phase = .due
    return next
  }

  private mutating func removeIfEmpty(_ id: EffectID, _ removed: inout Removed) {
    guard let index = groups.index(forKey: id), groups[index].value.isEmpty else { return }
    removed.add(groups.remove(at: index).key)
  }

  /// Cancels everything, for good.
  ///
  /// - Returns: what is to be finished unlocked.
  mutating func shutDown() -> Removed {
    var removed = Removed()
    isShutDown = true
    for id in Array(groups.keys) { cancel(id, &removed) }
    for run in members { cancel(run, &removed) }
    return removed
  }

  /// Adds one who waits until all tasks have returned.
  ///
  /// - Returns: whether there is something to wait for.
  mutating func awaitEnd(_ completion: Completion) -> Bool {
    if taskCount == 0 { return false }
    ending.append(completion)
    return true
  }

  /// Those who need no longer wait for the tasks to return.
  mutating func takeEnded() -> [Completion] {
    if taskCount > 0 || ending.isEmpty { return [] }
    defer { ending = [] }
    return ending
  }
}
