/// What a journal is asked by its store.
@usableFromInline
package final class JournalLink<State: Sendable>: Sendable {
  /// How many commits have led to the state that the store begins with.
  package let commits: Int

  /// Gives what is to be written of a commit: of its number, intent, cause, effects, and state.
  ///
  /// It is called under the store's lock.
  @usableFromInline package let record:
    @Sendable (Int, any Intent, Cause, [any Effect], State) -> any Written

  /// Takes note, in the record of the commit that has ended them or in one of their own, of effects
  /// that are over; gives what is to be written then.
  package let recordEnds: @Sendable ([Cause], (any Written)?) -> (any Written)?

  /// Whether an effect must happen, if any may have to.
  package let mustHappen: (@Sendable (any Effect) -> Bool)?

  /// The effects that were left, in order.
  package let left: [LeftEffect]

  /// Gives what is to be written at a shutdown, of the state and the number of the last commit.
  package let ending: @Sendable (State, Int) -> any Written

  /// Writes the end, as the store goes.
  package let end: @Sendable (State, Int) -> Void

  package init(
    commits: Int, left: [LeftEffect], mustHappen: (@Sendable (any Effect) -> Bool)?,
    record: @escaping @Sendable (Int, any Intent, Cause, [any Effect], State) -> any Written,
    recordEnds: @escaping @Sendable ([Cause], (any Written)?) -> (any Written)?,
    ending: @escaping @Sendable (State, Int) -> any Written,
    end: @escaping @Sendable (State, Int) -> Void
  ) {
    self.commits = commits
    self.left = left
    self.mustHappen = mustHappen
    self.recordEnds = recordEnds
    self.record = record
    self.ending = ending
    self.end = end
  }
}

extension Store {
  /// Lets a journal record what is committed from now on; called before anything uses the store.
  package func record(in journal: JournalLink<State>) {
    core.withLock { core in
      core.journal = journal
      core.work.records = Records(ended: journal.recordEnds)
      core.isObserved = true
      core.work.commits = journal.commits
      core.work.effects.mustHappen = journal.mustHappen
      let runner = prepareRunner(in: &core)
      for effect in journal.left { runner.add(effect, to: &core.work.effects) }
      if !journal.left.isEmpty && core.work.effects.problems != nil {
        runner.watchForForgottenResume()
      }
    }
  }

  /// Starts the effects that were left, and those that no handler has handled.
  package func resumeEffects() {
    change(.resume) { core, thread in
      prepareRunner(in: &core).resume(
        with: &core.work.handlers, &core.work.effects, in: &core.work.outbox, by: thread)
    }
  }

  /// How many effects wait to be resumed.
  package var leftEffectCount: Int { core.withLock { $0.work.effects.left.count } }

  /// Enqueues the end of the journal, if there is one.
  func enqueueEndOfJournal() {
    enqueue { core in core.journal.map { [$0.ending(core.state, core.work.commits)] } ?? [] }
  }

  /// Enqueues something to be written, made of the state and the number of the last commit.
  package func queueForJournal(_ make: (State, Int) -> any Written) {
    enqueue { core in [make(core.state, core.work.commits)] }
  }

  /// Delivers nothing from now on, but for what is queued before something that is to be written.
  package func mute(_ make: (State, Int) -> [any Written]) {
    enqueue { core in
      core.isMute = true
      return make(core.state, core.work.commits)
    }
  }

  /// The state, the number of the last commit, and what is queued to be written.
  package func newestForJournal() -> (State, Int, [any Written]) {
    read(.state) { core in (core.state, core.work.commits, core.work.records?.all ?? []) }
  }

  /// Enqueues something to be written.
  ///
  /// A call that would write it itself leaves that to another thread, because a task that waits for
  /// the disk must not keep its thread from other tasks.
  private func enqueue(_ make: (inout Core<State>) -> [any Written]) {
    let thread = currentThread()
    var next = core.withLock(by: thread, ifHeld: { stopForUseWhileReducing(.dispatch) }) { core in
      for record in make(&core) { core.work.append(record, by: thread) }
      return core.work.afterUnlock(on: thread)
    }
    if !delivery.isImmediate || next?.batch == nil { return finish(next, on: thread) }
    finishDeferred(on: thread)
    if var batch = next.take()?.batch { handOver(&batch) }
  }
}

extension Core {
  /// Lets a journal, if there is one, record a commit before anything of it is delivered.
  @inlinable
  mutating func record(
    _ intent: any Intent, _ cause: Cause, _ effects: [any Effect], by thread: ThreadID
  ) -> (any Written)? {
    guard let record = journal?.record(work.commits, intent, cause, effects, state) else {
      return nil
    }
    work.append(record, by: thread)
    return record
  }
}

extension PendingWork {
  /// Enqueues something that a journal writes before what follows is delivered.
  @usableFromInline
  mutating func append(_ record: any Written, by thread: ThreadID) {
    guard let records else { return }
    records.append(record)
    outbox.append(.record(records), by: thread)
  }

  /// Passes on what has become of effects: to a journal if they must happen, in the record of the
  /// commit that ended them or in one of their own, and to monitors that watch it.
  @usableFromInline
  mutating func enqueueEvents(of record: (any Written)?, by thread: ThreadID) {
    let done = effects.events.filter(\.isDone).map(\.cause)
    if !done.isEmpty, let new = records?.ended(done, record) { append(new, by: thread) }
    for event in effects.events where event.isWatched {
      outbox.append({ [watchEffect] in watchEffect?(event) }, by: thread)
    }
    effects.events = []
  }
}
