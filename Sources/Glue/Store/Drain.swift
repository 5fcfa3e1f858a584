// The third part of the pipeline, unlocked. User code runs here.

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

extension PendingWork {
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
    return (false, afterUnlock(on: thread)?.hasDeferred == true)
  }
}

// MARK: - Deliveries made elsewhere

extension Store {
  /// Posts body after body to the store's `Delivery`, for as long as they end before it returns.
  ///
  /// Bodies that other threads run meanwhile don't delay a thread for long.
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

  /// Delivers the pending entries.
  ///
  /// - Returns: whether more entries have been enqueued since. If not, draining has ended.
  func deliverPosted() -> Bool {
    var batch = Batch()
    var chunks = core.withLock { $0.work.outbox.takeForBody(&batch) }
    while true {
      switch batch.deliver() {
      case .marked: passMark()
      case .finished where chunks > 1:
        chunks -= 1
        core.withLock { $0.work.outbox.take(&batch) }
      case .finished, .switched, .limited:
        var goesOn = false
        change { core, _ in goesOn = core.work.outbox.endBody(&batch) }
        return goesOn
      }
    }
  }

  /// Drops the entries of a posted delivery that was released, except a journal's records, and lets
  /// the next commit post again.
  func abandonPosted() {
    var kept = Batch()
    var lost = [LostDeliveries(read(.drop) { core in core.work.outbox.abandon(keeping: &kept) })]
    _ = kept.deliver()
    var goesOn = false
    change { core, _ in goesOn = core.work.outbox.end(&kept) }
    if goesOn { post() }
    release(&lost)
  }
}

/// Deliveries that are never made.
///
/// deinit ends the effects among them like other releases, so a chain of effects that wait for one
/// another uses constant stack (G5).
private final class LostDeliveries: Sendable {
  private let entries: [Entry]

  init(_ entries: [Entry]) { self.entries = entries }

  deinit {
    for case .turn(let run)? in entries.map(\.call) { run.runner.loseTurn(of: run) }
  }
}
