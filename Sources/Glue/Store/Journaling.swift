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
  /// Has a journal record what is committed from now on; called before anybody uses the store.
  package func record(in journal: JournalLink<State>) {
    core.withLock { core in
      core.journal = journal
      core.isObserved = true
      core.commits = journal.commits
      core.effects.mustHappen = journal.mustHappen
      for effect in journal.left { core.effects.add(effect) }
      let runner = prepareRunner(in: &core)
      if !journal.left.isEmpty && core.effects.problems != nil { runner.watchForForgottenResume() }
    }
  }

  /// Starts the effects that were left, and those that nobody has handled.
  package func resumeEffects() {
    let runner = runner(for: .dispatch)
    let followUp = locked(.dispatch) { core, thread in
      runner.resume(with: core.handlers, &core.effects, in: &core.outbox, by: thread)
      return core.duty(of: thread)
    }
    carryOut(followUp)
  }

  /// How many effects wait to be resumed.
  package var leftEffectCount: Int { core.withLock { $0.effects.left.count } }

  /// Queues the end of the journal, if there is one.
  func queueForJournal() {
    queue { core in core.journal.map { [$0.ending(core.state, core.commits)] } ?? [] }
  }

  /// Queues something to be written, made of the state and the number of the last commit.
  package func queueForJournal(_ make: (State, Int) -> any Written) {
    queue { core in [make(core.state, core.commits)] }
  }

  /// Has nothing told to the world from now on, but for what is queued before something that is to
  /// be written.
  package func mute(_ make: (State, Int) -> [any Written]) {
    queue { core in
      core.isMute = true
      return make(core.state, core.commits)
    }
  }

  /// The state, the number of the last commit, and what is queued to be written.
  package func newestForJournal() -> (State, Int, [any Written]) {
    locked(.state) { core, _ in
      (core.state, core.commits, core.outbox.records.compactMap { $0 })
    }
  }

  /// Queues something to be written; a call that would write it itself leaves that to another
  /// thread, because a task that waits for the disk must not keep its own from others.
  private func queue(_ make: (inout Core<State>) -> [any Written]) {
    var followUp = locked(.dispatch) { core, thread in
      for written in make(&core) { core.outbox.append(written, by: thread) }
      return core.duty(of: thread)
    }
    var batch = Batch()
    let isHandedOver = delivery.isImmediate && followUp?.duty.delivers == true
    if isHandedOver, var duty = followUp?.duty {
      swap(&batch, &duty.batch)
      duty.delivers = false
      followUp?.duty = duty
    }
    carryOut(followUp)
    if isHandedOver { handOver(&batch) }
  }
}

extension Core {
  /// Has it recorded which effects that must happen are over.
  @usableFromInline
  mutating func recordEnds(in commit: (any Written)?, by thread: ThreadID) {
    if let written = journal?.recordEnds(effects.over, commit) {
      outbox.append(written, by: thread)
    }
    effects.over = []
  }
}
