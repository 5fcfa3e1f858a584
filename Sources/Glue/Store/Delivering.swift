/// What a call has to do after unlocking its store.
@usableFromInline
struct FollowUp: Sendable {
  /// To be finished first of all.
  @usableFromInline var leftovers: [Leftover]
  @usableFromInline var duty: Duty
}

extension Core {
  /// What a call on `thread` has to do after unlocking.
  @inlinable
  mutating func duty(of thread: ThreadID) -> FollowUp? {
    outbox.isDue || !effects.leftovers.isEmpty ? takeDuty(of: thread) : nil
  }

  @usableFromInline
  mutating func takeDuty(of thread: ThreadID) -> FollowUp {
    if !effects.events.isEmpty { queueEvents(by: thread) }
    if !effects.over.isEmpty { recordEnds(in: nil, by: thread) }
    if outbox.queued.count > 100_000 { effects.report(.growingOutbox) }
    var followUp = FollowUp(leftovers: [], duty: outbox.takeDuty(of: thread))
    if !settling.isEmpty { tellSettled() }
    if !effects.leftovers.isEmpty { swap(&followUp.leftovers, &effects.leftovers) }
    return followUp
  }

  private mutating func queueEvents(by thread: ThreadID) {
    for event in effects.events {
      outbox.append({ [tellOfEffect] in tellOfEffect?(event) }, by: thread)
    }
    effects.events = []
  }
}

extension Store {
  /// Does what a call has to do after unlocking.
  @inlinable
  func carryOut(_ followUp: consuming FollowUp?) {
    guard var followUp = followUp.take() else { return }
    if !followUp.leftovers.isEmpty { followUp.leftovers.finish() }
    if followUp.duty.releases { releaseDiscarded(on: currentThread()) }
    if !followUp.duty.delivers { return }
    if delivery.isImmediate { deliver(&followUp.duty.batch) } else { post() }
  }

  /// Delivers until nothing is queued, or until the call has been held up for others long enough:
  /// then another thread goes on (G12).
  @inlinable
  func deliver(_ batch: inout Batch) {
    while true {
      switch batch.deliver() {
      case .finished:
        let (goesOn, isAwaited) = core.withLock { core in
          let goesOn = core.outbox.refill(&batch)
          if !goesOn { core.trace = nil }
          return (goesOn, !core.settling.isEmpty)
        }
        if goesOn {
          if batch.count > Problem.manyDeliveries { lookIntoEndlessDelivery(&batch) }
          continue
        }
        return isAwaited ? finishLeftovers() : ()
      case .switched: core.withLock { $0.outbox.switchSides(with: batch) }
      case .limited: return handOver(&batch)
      }
    }
  }

  /// Has the intents that go on causing deliveries told, when some more of them have come.
  @usableFromInline
  func lookIntoEndlessDelivery(_ batch: inout Batch) {
    batch.count = Problem.manyDeliveries - 16
    finishLeftovers { core in
      if let intents = core.trace, !intents.isEmpty {
        let types = Set(intents).sorted()
        batch.count = .min
        core.trace = nil
        core.effects.report(.endlessDelivery(intents: types))
      } else if report != nil {
        core.trace = []
        core.isObserved = true
      } else {
        batch.count = .min
      }
    }
  }

  /// Leaves the rest of a delivery to another thread.
  @usableFromInline
  func handOver(_ batch: inout Batch) {
    core.withLock { core in
      core.trace = nil
      core.outbox.suspend(&batch)
    }
    delivery.elsewhere { self.resumeDelivery() }
  }

  private func resumeDelivery() {
    var batch = Batch()
    let thread = currentThread()
    core.withLock(by: thread) { $0.outbox.resume(&batch, on: thread) }
    batch.renew(limit: delivery.limit)
    deliver(&batch)
  }

  /// Hands body after body to the store's `Delivery`, for as long as they end before it returns.
  ///
  /// A thread that does no more than post is not kept for long by bodies that others run meanwhile.
  @usableFromInline
  func post() {
    guard let post = delivery.post else { return }
    var elsewhere = 0
    while elsewhere < delivery.limit {
      switch PostedDelivery(of: self).phase(afterPostingBy: post) {
      case .posting, .posted: return
      case .endedHere: continue
      case .endedElsewhere: elsewhere += 1
      }
    }
    delivery.elsewhere { self.post() }
  }

  /// Delivers what is queued now.
  ///
  /// - Returns: whether more has been queued since. If not, the delivery has ended.
  func deliverPosted() -> Bool {
    var batch = Batch()
    core.withLock { $0.outbox.take(&batch) }
    let outcome = batch.deliver()
    assert(outcome == .finished, "what is posted has no other threads' deliveries")
    if core.withLock({ $0.outbox.endBody(&batch) }).goesOn { return true }
    finishLeftovers()
    return false
  }

  /// Finishes what something that ends under the lock leaves, and lets those go on who wait for
  /// nothing to be going on, if that is so.
  @usableFromInline
  func finishLeftovers(after end: (inout Core<State>) -> Void = { _ in }) {
    var leftovers = core.withLock { core in
      end(&core)
      core.tellSettled()
      defer { core.effects.leftovers = [] }
      return core.effects.leftovers
    }
    leftovers.finish()
  }

  /// Gives up what is queued, and lets the next commit post again.
  func abandonPosted() {
    var lost: [Entry] = []
    var batch = locked(.drop) { core, _ in core.outbox.abandon(&lost) }
    let isWritten = !batch.entries.isEmpty
    _ = batch.deliver()
    release(&lost)
    if isWritten && core.withLock({ $0.outbox.end(&batch) }) { post() } else { finishLeftovers() }
  }
}
