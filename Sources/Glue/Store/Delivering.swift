internal import Dispatch

extension Store {
  /// Does what a call has to do after unlocking.
  @inlinable
  func perform(_ duty: consuming Duty?) {
    guard var duty = duty.take() else { return }
    if !duty.removed.isEmpty { finish(&duty.removed) }
    if !duty.discarded.isEmpty { release(&duty.discarded) }
    if !duty.delivers { return }
    if delivery.isImmediate { deliver(&duty.batch) } else { post() }
  }

  /// Cancels the tasks of effects that were removed, and releases these.
  ///
  /// If nothing is delivered afterwards, nobody else may notice that nothing is going on any more.
  @usableFromInline
  func finish(_ removed: inout [Removed]) {
    for effects in removed { effects.finish() }
    removed = []
    settleIfIdle()
  }

  /// Releases values and gives their buffer back.
  @usableFromInline
  func release(_ discarded: inout [any Sendable]) {
    discarded.removeAll(keepingCapacity: true)
    core.withLock { $0.outbox.reuse(&discarded) }
  }

  /// Delivers until nothing is queued, or until the call has been held up for others long enough:
  /// then another thread goes on (G12).
  @inlinable
  func deliver(_ batch: inout Batch) {
    while true {
      switch batch.deliver() {
      case .finished:
        let (goesOn, isAwaited) = core.withLock { core in
          (core.outbox.refill(&batch), !core.settling.isEmpty)
        }
        if goesOn { continue }
        return isAwaited ? settleIfIdle() : ()
      case .turned: core.withLock { $0.outbox.turn(with: batch) }
      case .limited: return handOver(&batch)
      }
    }
  }

  /// Leaves the rest of a delivery to a thread on which handlers may block, as on any.
  ///
  /// It is not one of those that run tasks: these are few, and a handler that waits for a task
  /// there could wait for ever.
  @usableFromInline
  func handOver(_ batch: inout Batch) {
    core.withLock { $0.outbox.suspend(&batch) }
    DispatchQueue(label: "glue.delivery").async { self.resumeDelivery() }
  }

  private func resumeDelivery() {
    var batch = Batch()
    let thread = currentThread()
    core.withLock(by: thread) { $0.outbox.resume(&batch, on: thread) }
    batch.renewLimit()
    deliver(&batch)
  }

  /// Hands body after body to the store's `Delivery`, for as long as they end before it returns.
  ///
  /// A thread that does no more than post is kept for 1,000 bodies that others run in that time.
  @usableFromInline
  func post() {
    guard let post = delivery.post else { return }
    var elsewhere = 0
    while elsewhere < 1000 {
      switch PostedDelivery(of: self).phase(afterPostingBy: post) {
      case .posting, .posted: return
      case .endedHere: continue
      case .endedElsewhere: elsewhere += 1
      }
    }
    DispatchQueue(label: "glue.delivery").async { self.post() }
  }

  /// Delivers what is queued now.
  ///
  /// - Returns: whether more has been queued since. If not, the delivery has ended.
  func deliverPosted() -> Bool {
    var batch = Batch()
    core.withLock { $0.outbox.take(&batch) }
    let outcome = batch.deliver()
    assert(outcome == .finished, "what is posted has no other threads' deliveries")
    if core.withLock({ $0.outbox.end(&batch) }) { return true }
    settleIfIdle()
    return false
  }

  /// Gives up what is queued, and lets the next commit post again.
  func abandonPosted() {
    var lost = Batch()
    locked(.drop) { core, _ in core.outbox.abandon(&lost) }
    withExtendedLifetime(lost) {}
    settleIfIdle()
  }
}
