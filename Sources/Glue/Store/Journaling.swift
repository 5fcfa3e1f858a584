/// A store that has a log.
package protocol LoggedStore: AnyObject, Sendable {
  /// The state and the number of the last commit.
  var newest: (state: any Sendable, commit: Int) { get }

  /// Enqueues a record that `append` adds to the log, with the newest state and the number of the
  /// last commit.
  ///
  /// - Parameters:
  ///   - isLast: whether no later entry is delivered or recorded.
  ///   - append: is called under the store's lock.
  func enqueueRecord(isLast: Bool, _ append: (any Sendable, Int) -> Void)
}

extension Store: LoggedStore {
  /// Lets a log record later commits; called before the store is used.
  package func begin(_ log: any CommitLog, after commits: Int, left: [LeftEffect]) {
    core.withLock { core in
      core.isObserved = true
      core.work.log = log
      core.work.commits = commits
      let runner = prepareRunner(in: &core)
      for effect in left { runner.add(effect, to: &core.work.effects) }
      if !left.isEmpty && core.work.effects.problems != nil { runner.watchForForgottenResume() }
    }
  }

  /// Starts the leftover effects, and those that no handler has handled.
  package func resumeEffects() {
    change(.resume) { core, _ in
      prepareRunner(in: &core).resume(with: &core.work.handlers, &core.work.effects)
    }
  }

  /// How many effects wait to be resumed.
  package var leftEffectCount: Int { core.withLock { $0.work.effects.left.count } }

  package var newest: (state: any Sendable, commit: Int) {
    read(.state) { core in (core.state, core.work.commits) }
  }

  /// A call that would write the record itself leaves that to another thread, because a task that
  /// waits for the disk must not block its thread for other tasks.
  package func enqueueRecord(isLast: Bool, _ append: (any Sendable, Int) -> Void) {
    let thread = currentThread()
    var next = core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }) { core in
      if isLast { core.isMute = true }
      append(core.state, core.work.commits)
      core.work.enqueueRecord(by: thread)
      return core.work.afterUnlock(on: thread)
    }
    if !delivery.isImmediate || next?.batch == nil { return finish(next, on: thread) }
    finishDeferred(on: thread)
    if var batch = next.take()?.batch { handOver(&batch) }
  }
}

extension PendingWork {
  /// Lets the log, if any, write its next record before later entries are delivered.
  @usableFromInline
  mutating func enqueueRecord(by thread: ThreadID) {
    if let log { outbox.append(.record(log), by: thread) }
  }

  /// Passes on effects' events: to the log if they must happen, and to monitors that watch effects.
  @usableFromInline
  mutating func enqueueEvents(ofCommit isOfCommit: Bool, by thread: ThreadID) {
    let over = effects.events.filter(\.isDone).map(\.cause)
    if !over.isEmpty, log?.append(over: over, isOfLast: isOfCommit) == true {
      enqueueRecord(by: thread)
    }
    for event in effects.events where event.isWatched {
      outbox.append({ [watchEffect] in watchEffect?(event) }, by: thread)
    }
    effects.events = []
  }
}
