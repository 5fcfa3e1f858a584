// What happens to scheduled effects when their turn comes, and when something of them ends.

extension Runs {
  /// Adds an effect without a policy, to start at once.
  ///
  /// - Returns: its number; nil after the shutdown.
  mutating func start(_ run: Run) -> Int? {
    if isShutDown { return nil }
    let number = add(run, nil)
    start(number, tasks: run.taskCount)
    return number
  }

  /// Says what a member does now.
  mutating func turn(of number: Int) -> Turn {
    guard let member = members[number], let schedule = member.schedule else { return .skip }
    if member.phase != .due {
      switch schedule.policy {
      case .delay(let duration) where duration > .zero,
        .debounce(let duration) where duration > .zero:
        members[number]?.phase = .waiting
        return .wait(duration)
      case .sequential where groups[schedule.id]?.numbers.first != number:
        members[number]?.phase = .blocked
        return .skip
      default: break
      }
    }
    start(number, tasks: member.run.taskCount)
    guard case .throttle(let duration) = schedule.policy, duration > .zero,
      groups[schedule.id]?.window?.opener == number
    else { return .start(member.run, window: nil) }
    return .start(member.run, window: (schedule.id, duration))
  }

  private mutating func start(_ number: Int, tasks: Int) {
    members[number]?.phase = .running
    members[number]?.unfinished = tasks + 1
    taskCount += tasks
  }

  /// Keeps a task of a member, to be cancelled with it.
  ///
  /// - Returns: whether the member is still there.
  mutating func keep(_ task: Task<Void, Never>, of number: Int) -> Bool {
    members[number]?.tasks.append(task) != nil
  }

  /// Keeps the timer of the window that a member has opened.
  ///
  /// - Returns: whether the window is still open.
  mutating func keep(_ timer: Task<Void, Never>, ofWindowOf number: Int, _ id: EffectID) -> Bool {
    guard groups[id]?.window?.opener == number else { return false }
    groups[id]?.window?.timer = timer
    return true
  }
}

extension Runs {
  /// Notes that a member has waited for its time.
  ///
  /// - Returns: whether it is still there, to be given its turn.
  mutating func due(_ number: Int) -> Bool {
    guard members[number]?.phase == .waiting else { return false }
    members[number]?.phase = .due
    return true
  }

  /// Closes the window that a member opened, or starts the effect that is held, which opens it
  /// anew.
  ///
  /// - Returns: the number of that effect, to be given its turn.
  mutating func closeWindow(
    of id: EffectID, openedBy number: Int, _ removed: inout Removed
  ) -> Int? {
    guard let window = groups[id]?.window, window.opener == number else { return nil }
    guard let held = window.held, let schedule = members[held]?.schedule else {
      groups[id]?.window = nil
      removeIfEmpty(id, &removed)
      return nil
    }
    let isTimed =
      if case .throttle(let duration) = schedule.policy { duration > .zero } else { false }
    groups[id]?.window = isTimed ? Window(opener: held) : nil
    groups[id]?.numbers.append(held)
    members[held]?.phase = .due
    return held
  }

  /// Closes the window that a member was to open.
  ///
  /// - Returns: the number of the effect that was held, to be given its turn.
  mutating func closeWindow(openedBy number: Int, _ removed: inout Removed) -> Int? {
    guard let id = members[number]?.schedule?.id else { return nil }
    return closeWindow(of: id, openedBy: number, &removed)
  }

  /// Notes that a member has lost its turn.
  ///
  /// - Returns: the number of a member that waited for this one, to be given its turn.
  mutating func lost(_ number: Int, _ removed: inout Removed) -> Int? {
    members[number]?.unfinished = 1
    return ended(number, &removed)
  }

  /// Notes that the task of a member has returned.
  ///
  /// - Returns: the number of a member that waited for this one, to be given its turn.
  mutating func taskEnded(of number: Int, _ removed: inout Removed) -> Int? {
    taskCount -= 1
    return ended(number, &removed)
  }

  /// Notes that a task of a member, or the delivery to its synchronous handlers, has ended.
  ///
  /// - Returns: the number of a member that waited for this one, to be given its turn.
  mutating func ended(_ number: Int, _ removed: inout Removed) -> Int? {
    guard let index = members.index(forKey: number) else { return nil }
    members.values[index].unfinished -= 1
    if members.values[index].unfinished > 0 { return nil }
    let member = members.remove(at: index).value
    removed.add(member)
    guard let id = member.schedule?.id else { return nil }
    if let index = groups[id]?.numbers.firstIndex(of: number) {
      groups[id]?.numbers.remove(at: index)
    }
    removeIfEmpty(id, &removed)
    guard let next = groups[id]?.numbers.first, members[next]?.phase == .blocked else { return nil }
    members[next]?.phase = .due
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
    for number in Array(members.keys) { cancel(number, &removed) }
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
