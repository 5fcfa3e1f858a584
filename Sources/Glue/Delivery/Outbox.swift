/// The deliveries that commits have caused and nobody has made yet, oldest first.
///
/// Whoever finds nobody delivering becomes the one who delivers, batch by batch, until nothing is
/// queued. All others just add to it. It grows without bound: a full one could only make the
/// dispatching thread wait, and a handler that waits for that thread would wait for ever.
///
/// It is guarded by the store's lock, under which nothing of the user's may be released: whatever
/// leaves it is moved out.
@usableFromInline
struct Outbox: Sendable {
  @usableFromInline var queued: [Entry] = []

  /// What a journal writes in the places of those that have no call.
  private(set) var records: [(any Written)?] = []

  /// Whether values were discarded that are to be released when the store is unlocked.
  @usableFromInline var hasDiscarded = false

  /// The calls that were moved elsewhere and have not returned.
  var moved = MovedCalls()

  private var spare: [Entry] = []
  private(set) var isDelivering = false

  /// How many deliveries the current drain took out together; 0 while none is under way.
  private var takenCount = 0

  /// Waits for the end of the posted body that is under way.
  private var bodyFlush: Flush?
  private var deliverer: ThreadID = 0
  private let isImmediate: Bool
  private let limit: Int

  /// Whether what is being delivered was caused by another thread, so that what it causes is too.
  private(set) var servesOthers = false

  /// Whether nothing is queued or being delivered, here or where calls were moved.
  var isIdle: Bool { queued.isEmpty && !isDelivering && moved.isEmpty }

  /// What a call that may be held up no longer has left for the thread that goes on (G12).
  private var suspended = Batch()

  @usableFromInline
  init(for delivery: Delivery) {
    isImmediate = delivery.isImmediate
    limit = delivery.limit
  }

  /// Adds a delivery that a call on `thread` caused.
  ///
  /// - Complexity: O(1), amortised.
  @usableFromInline
  mutating func append(_ call: consuming Call, by thread: ThreadID) {
    queued.append(Entry(call: call, isForeign: isForeign(thread)))
  }

  /// Adds something that a journal writes before what follows is delivered.
  @usableFromInline
  mutating func append(_ record: any Written, by thread: ThreadID) {
    records.append(record)
    queued.append(Entry(call: nil, isForeign: isForeign(thread)))
  }

  private func isForeign(_ thread: ThreadID) -> Bool {
    isImmediate && isDelivering && (deliverer != thread || servesOthers)
  }

  /// Adds the call of a closure.
  @usableFromInline
  mutating func append(
    _ deliver: consuming @escaping @Sendable () -> Void, by thread: ThreadID
  ) {
    append(.closure(deliver), by: thread)
  }

  /// Keeps a value of the user's until the store is unlocked, for its deinit may use the store.
  @usableFromInline
  mutating func discard(_ value: any Sendable, by thread: ThreadID) {
    Glue.discard(value, on: thread)
    hasDiscarded = true
  }

  /// Whether a call has something to do after unlocking the store.
  @inlinable var isDue: Bool { !queued.isEmpty || hasDiscarded }

  /// What a call on `thread` has to do after unlocking the store.
  ///
  /// If there is something to deliver and nobody does, the caller is the one who delivers from now.
  @usableFromInline
  mutating func takeDuty(of thread: ThreadID) -> Duty {
    var duty = Duty(releases: hasDiscarded)
    hasDiscarded = false
    if isDelivering || queued.isEmpty { return duty }
    isDelivering = true
    duty.delivers = true
    deliverer = thread
    servesOthers = false
    if isImmediate {
      duty.batch.renew(limit: limit)
      take(&duty.batch)
    }
    return duty
  }

  /// Notes whose deliveries the next ones of `batch` are.
  @usableFromInline
  mutating func switchSides(with batch: Batch) {
    servesOthers = batch.servesOthers
  }

  /// Moves all that is queued into an empty batch.
  ///
  /// - Complexity: O(1): the buffers change hands.
  mutating func take(_ batch: inout Batch) {
    swap(&batch.entries, &queued)
    swap(&queued, &spare)
    swap(&batch.records, &records)
    takenCount = batch.entries.count
    batch.count += takenCount
  }

  /// Takes back the buffer of a delivered batch.
  ///
  /// - Returns: whether more was queued meanwhile. If not, the delivery has ended.
  mutating func end(_ batch: inout Batch) -> Bool {
    swap(&batch.entries, &spare)
    takenCount = 0
    isDelivering = !queued.isEmpty
    return isDelivering
  }

  /// Ends a delivered batch and refills it with what was queued meanwhile, if anything.
  @usableFromInline
  mutating func refill(_ batch: inout Batch) -> Bool {
    if !end(&batch) { return false }
    take(&batch)
    return true
  }

  /// Takes what is left of a batch until somebody resumes it; the delivery goes on meanwhile.
  mutating func suspend(_ batch: inout Batch) {
    swap(&batch, &suspended)
  }

  /// Gives back the suspended batch, to be delivered on `thread`.
  mutating func resume(_ batch: inout Batch, on thread: ThreadID) {
    deliverer = thread
    swap(&batch, &suspended)
    servesOthers = batch.servesOthers
  }

  /// Ends the batch of a posted body.
  ///
  /// - Returns: whether more was queued meanwhile, and a flush to release unlocked.
  mutating func endBody(_ batch: inout Batch) -> (goesOn: Bool, flush: Flush?) {
    let flush = bodyFlush
    bodyFlush = nil
    if let flush { moved.wait(flush) }
    return (end(&batch), flush)
  }

  /// Ends a delivery that was posted and will not be made; moves what was queued into `lost`.
  ///
  /// - Returns: what of that is written nevertheless. If there is any, the delivery goes on with it.
  mutating func abandon(_ lost: inout [Entry]) -> Batch {
    swap(&lost, &queued)
    var kept = Batch()
    kept.entries = lost.filter { $0.call == nil }
    swap(&kept.records, &records)
    isDelivering = !kept.entries.isEmpty
    return kept
  }

  /// What has not been delivered, or has not returned, to be told.
  var undelivered: Undelivered {
    Undelivered(underWay: takenCount, calls: queued.compactMap(\.call), moved: moved.count)
  }

  /// Waits for calls that run already: those of the posted body under way, and moved ones.
  ///
  /// - Returns: the waiters that `completion` joined; nil if there is nothing to wait for.
  mutating func flushUnderWay(for completion: Completion) -> Waiters? {
    if takenCount == 0 { return moved.flush(for: completion) }
    let flush = bodyFlush ?? Flush(for: Waiters())
    bodyFlush = flush
    flush.waiters.add(completion)
    return flush.waiters
  }

  /// Has somebody wait until all that is queued now has been delivered.
  ///
  /// - Parameters:
  ///   - completion: is to be completed then.
  ///   - thread: the calling one.
  ///   - pass: gives a flush that has come through the outbox back to ``moved``.
  /// - Returns: those who wait for the same; nil if there is nothing to wait for.
  mutating func flush(
    for completion: Completion, by thread: ThreadID, _ pass: @escaping @Sendable (Flush) -> Void
  ) -> Waiters? {
    if isIdle { return nil }
    if case .flush(let last, _) = queued.last?.call {
      last.waiters.add(completion)
      return last.waiters
    }
    if queued.isEmpty && !isDelivering { return moved.flush(for: completion) }
    let waiters = Waiters(completion)
    append(.flush(Flush(for: waiters), pass), by: thread)
    return waiters
  }
}

/// What a call has to do after unlocking the store.
@usableFromInline
struct Duty: Sendable {
  /// Whether values were discarded, which are to be released first of all.
  @usableFromInline let releases: Bool

  /// Whether the caller has become the one who delivers.
  @usableFromInline var delivers = false

  /// What it is to deliver at once; empty where deliveries are posted.
  @usableFromInline var batch = Batch()
}
