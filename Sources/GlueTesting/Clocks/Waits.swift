internal import Dispatch
package import Glue

/// Why calls that wait for the tasks of an executor can't end.
package enum Unrest: Error {
  /// All tasks wait, and nothing has woken one for as long as the limit says.
  case stalled

  /// A job blocks its thread: that has used no processor time for as long as the limit says.
  case blocked

  /// A handler has dispatched more intents than the limit says, without a suspension.
  case looping

  /// Tasks have gone past a limit; some work for these effects.
  case endless(Pace.Excess, effects: [any Effect])
}

/// A call that waits for the tasks of an executor.
final class Wait: Sendable {
  enum Kind { case rest, job, store, body }

  let kind: Kind
  let completion: Completion

  init(_ kind: Kind, _ completion: Completion = Completion()) {
    (self.kind, self.completion) = (kind, completion)
  }
}

/// The last look at the calls that wait, and its findings.
struct Look: Sendable {
  var events: Int

  /// The processor time that the thread of the running job has used.
  var used: Int?

  /// How many looks in succession have seen nothing happen, and nothing computed.
  var quiet = 0
  var idle = 0
}

extension TestExecutor {
  /// Whether the current task has a limit of real time of its own.
  static let hasOwnLimit = TaskLocal(wrappedValue: false)

  /// Begins a wait, unless it is for something that is so, or that a blocked thread rules out.
  func begin(_ wait: Wait) -> Bool {
    let (begins, patience) = jobs.withLock { jobs -> (Bool, Duration?) in
      if jobs.isOver(for: wait.kind) { return (false, nil) }
      jobs.waits.append(wait)
      jobs.events += 1
      guard let patience = jobs.patience, jobs.look == nil else { return (true, nil) }
      jobs.look = Look(events: jobs.events)
      return (true, patience)
    }
    if let patience { lookLater(patience) }
    return begins
  }

  /// Completes a wait, by a job of this executor.
  func complete(_ wait: Wait) {
    jobs.withLock { jobs in jobs.waits.removeAll { $0 === wait } }
    wait.completion.complete()
  }

  /// Ends a wait.
  ///
  /// - Returns: why it can't end, unless another wait's end has returned that.
  func end(_ wait: Wait) -> Unrest? {
    jobs.withLock { jobs in
      jobs.waits.removeAll { $0 === wait }
      return jobs.unrest.take()
    }
  }

  nonisolated(nonsending) func wait(
    for completion: Completion, of call: String, unended: () -> [EffectInFlight]
  ) async {
    if Self.hasOwnLimit.get() { return await completion.wait() }
    let wait = Wait(.store, completion)
    _ = begin(wait)
    await completion.wait()
    if let unrest = end(wait) { report.withLock { $0 }?(unrest, call, unended()) }
  }

  /// Looks, some time later, whether anything has happened.
  ///
  /// Two looks must see nothing, because a process that was stopped, by a debugger for example,
  /// continues with an interval that has passed. Each waits in the line of the tasks that want a
  /// thread by then, because the test may be one of them.
  private func lookLater(_ patience: Duration) {
    DispatchQueue.global().asyncAfter(deadline: .now() + patience / 2 / .seconds(1)) {
      [weak self] in Task.detached { self?.look() }
    }
  }

  private func look() {
    let (ended, patience) = jobs.withLock { jobs in
      (jobs.lookAtWaits(findsBlocked: limits.findsBlocked), jobs.look == nil ? nil : jobs.patience)
    }
    for wait in ended { wait.completion.complete() }
    if let patience { lookLater(patience) }
  }
}

extension TestExecutor.Jobs {
  /// Whether a wait need not begin.
  fileprivate mutating func isOver(for kind: Wait.Kind) -> Bool {
    if kind == .store || kind == .body { return false }
    if isBlocked { return true }
    if kind == .job || isRunning { return false }
    if pace.isOver { noteExcess() }
    return true
  }

  /// Notes why no call that waits can end, because of what has gone past a limit.
  mutating func noteExcess() {
    let running = pace.lastTasks.sorted().compactMap { effects[$0] }
    unrest = .endless(pace.excess, effects: running + pace.lastEffects)
    pace.reset()
  }

  /// Compares what has happened with the last look.
  ///
  /// - Returns: the calls that can't end.
  fileprivate mutating func lookAtWaits(findsBlocked: Bool) -> [Wait] {
    guard var look, !waits.isEmpty else {
      self.look = nil
      return []
    }
    let used = isRunning ? thread?.used : nil
    if look.events == events {
      look.quiet += 1
      look.idle = used != nil && used == look.used ? look.idle + 1 : 0
      look.used = used
    } else {
      look = Look(events: events, used: used)
    }
    self.look = look
    // A body whose first job is still to come isn't stalled.
    if !isRunning, look.quiet >= 2, jobCount > 0 || waits.contains(where: { $0.kind == .store }) {
      return endWaits(for: .stalled)
    }
    if findsBlocked, look.idle >= 2 { return endWaits(for: .blocked) }
    return []
  }

  /// Ends the calls that wait; the one of a test's body only if no other one is there, or none of
  /// its tasks can continue.
  mutating func endWaits(for reason: Unrest? = nil) -> [Wait] {
    // While all tasks rest, a call's job is still to come or has ended.
    if case .stalled = reason, !waits.contains(where: { $0.kind == .store || $0.kind == .body }) {
      return []
    }
    unrest = reason ?? unrest
    look = look.map { _ in Look(events: events) }
    switch unrest {
    case .blocked, .looping: isBlocked = true
    case .stalled, .endless, nil: break
    }
    let others = isBlocked ? waits : waits.filter { $0.kind != .body }
    let ended = others.isEmpty ? waits : others
    waits.removeAll { wait in ended.contains { $0 === wait } }
    return ended
  }
}
