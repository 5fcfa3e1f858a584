// The third part of the pipeline: what a critical section leaves to its caller, and the drainer,
// which runs user code, unlocked.

/// The work of a caller after unlocking its store, in this order.
@usableFromInline
struct AfterUnlock: Sendable {
  /// Whether it finishes deferred work.
  @usableFromInline let hasDeferred: Bool

  /// The first batch, if it is the drainer; it is empty where deliveries are posted.
  @usableFromInline var batch: Batch?
}

extension PendingWork {
  /// The work for the caller, on `thread`, after unlocking; nil if there is none.
  @inlinable @inline(__always)
  mutating func afterUnlock(on thread: ThreadID) -> AfterUnlock? {
    outbox.queued.isEmpty && effects.deferred.isEmpty && effects.due.isEmpty
      && effects.events.isEmpty && waiters == nil ? nil : takeWork(on: thread)
  }

  /// ``afterUnlock(on:)`` where there may be some; it also enqueues what is due and monitors' events.
  @usableFromInline
  mutating func takeWork(on thread: ThreadID) -> AfterUnlock? {
    if !effects.due.isEmpty {
      for run in effects.due { outbox.append(.turn(run), by: thread) }
      effects.due.removeAll()
    }
    if !effects.events.isEmpty { enqueueEvents(ofCommit: false, by: thread) }
    if outbox.count > 100_000 { effects.report(.growingOutbox) }
    if waiters != nil { completeWaiters() }
    let hasDeferred = deferToThread(thread)
    let batch = outbox.beginDraining(on: thread)
    return hasDeferred || batch != nil ? AfterUnlock(hasDeferred: hasDeferred, batch: batch) : nil
  }

  /// Leaves deferred work to the calling thread, which finishes it after unlocking.
  @usableFromInline
  mutating func deferToThread(_ thread: ThreadID) -> Bool {
    if effects.deferred.isEmpty { return false }
    context(of: thread).take(&effects.deferred)
    return true
  }

  /// Ends a delivered batch and refills it.
  ///
  /// - Returns: whether there is more, and whether work was deferred.
  @usableFromInline
  mutating func refill(_ batch: inout Batch, on thread: ThreadID) -> (goesOn: Bool, Bool) {
    if outbox.end(&batch) {
      outbox.take(&batch)
      return (true, false)
    }
    trace = nil
    if waiters != nil { completeWaiters() }
    return (false, deferToThread(thread))
  }
}

extension Store {
  /// Does the work of a call after unlocking.
  @inlinable
  func finish(_ next: consuming AfterUnlock?, on thread: ThreadID) {
    guard var next = next.take() else { return }
    if next.hasDeferred { finishDeferred(on: thread) }
    guard var batch = next.batch.take() else { return }
    if delivery.isImmediate { drain(&batch, on: thread) } else { post() }
  }

  /// Delivers until the outbox is empty, or until the call reaches its limit of foreign deliveries:
  /// then another thread continues (G12).
  @inlinable
  func drain(_ batch: inout Batch, on thread: ThreadID) {
    while true {
      switch batch.deliver() {
      case .finished:
        let (goesOn, hasDeferred) = core.withLock { $0.work.refill(&batch, on: thread) }
        if hasDeferred { finishDeferred(on: thread) }
        if !goesOn { return }
        if batch.count > Problem.manyDeliveries { lookIntoEndlessDelivery(&batch) }
      case .marked: passMark()
      case .switched: core.withLock { $0.work.outbox.switchSides(with: batch) }
      case .limited: return handOver(&batch)
      }
    }
  }

  @usableFromInline
  func passMark() {
    change { core, _ in core.work.outbox.passMark() }
  }

  /// Reports the intents that keep causing deliveries, once it has seen some more of them.
  @usableFromInline
  func lookIntoEndlessDelivery(_ batch: inout Batch) {
    batch.count = Problem.manyDeliveries - 16
    change { core, _ in
      if let intents = core.work.trace, !intents.isEmpty {
        batch.count = .min
        core.work.trace = nil
        core.work.effects.report(.endlessDelivery(intents: Set(intents).sorted()))
      } else if report != nil {
        core.work.trace = []
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
      core.work.trace = nil
      core.work.outbox.suspend(&batch)
    }
    delivery.elsewhere { self.resumeDraining() }
  }

  private func resumeDraining() {
    let thread = currentThread()
    var batch = core.withLock(by: thread) { $0.work.outbox.resume(on: thread) }
    drain(&batch, on: thread)
  }
}
