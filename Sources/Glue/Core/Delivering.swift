extension Store {
  /// Does what a call has to do after unlocking.
  @inlinable
  func perform(_ duty: consuming Duty?) {
    guard var duty = duty.take() else { return }
    duty.discarded = []
    if !duty.delivers { return }
    if delivery.isImmediate { deliver(&duty.batch) } else { post() }
  }

  /// Delivers until nothing is queued, or until the call has been held up for others long enough:
  /// then a task goes on (G12).
  @inlinable
  func deliver(_ batch: inout Batch) {
    repeat {
      if !batch.deliver() { return handOver(&batch) }
    } while core.withLock({ $0.outbox.refill(&batch) })
  }

  /// Leaves the rest of a delivery to a task.
  @usableFromInline
  func handOver(_ batch: inout Batch) {
    core.withLock { $0.outbox.suspend(&batch) }
    Task.detached { self.resumeDelivery() }
  }

  private func resumeDelivery() {
    var batch = Batch()
    let thread = currentThread()
    core.withLock(by: thread) { $0.outbox.resume(&batch, on: thread) }
    batch.renewLimit()
    deliver(&batch)
  }

  /// Hands body after body to the store's `Delivery`, for as long as it runs them inline.
  @usableFromInline
  func post() {
    guard let post = delivery.post else { return }
    while PostedDelivery(of: self).hasMore(afterPostingBy: post) {}
  }

  /// Delivers what is queued now.
  ///
  /// - Returns: whether more has been queued since. If not, the delivery has ended.
  func deliverPosted() -> Bool {
    var batch = Batch()
    core.withLock { $0.outbox.take(&batch) }
    _ = batch.deliver()
    return core.withLock { $0.outbox.end(&batch) }
  }

  /// Gives up what is queued, and lets the next commit post again.
  func abandonPosted() {
    var lost = Batch()
    core.withLock { $0.outbox.abandon(&lost) }
  }
}
