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
  @usableFromInline var discarded: [any Sendable] = []
  @usableFromInline var removed: [Removed] = []
  private var spare: [Entry] = []
  private var isDelivering = false
  private var deliverer: ThreadID = 0
  private let isImmediate: Bool

  /// Whether what is being delivered was caused by another thread, so that what it causes is too.
  private var isForeignTurn = false

  /// Whether nothing is queued or being delivered.
  var isIdle: Bool { queued.isEmpty && !isDelivering }

  /// What a call that may be held up no longer has left for the thread that goes on (G12).
  private var suspended = Batch()

  @usableFromInline
  init(isImmediate: Bool) {
    self.isImmediate = isImmediate
  }

  /// Adds a delivery that a call on `thread` caused.
  ///
  /// - Complexity: O(1), amortised.
  @usableFromInline
  mutating func append(_ call: consuming Call, by thread: ThreadID) {
    let isForeign = isDelivering && (deliverer != thread || isForeignTurn)
    queued.append(Entry(call: call, isForeign: isForeign && isImmediate))
  }

  /// Adds the call of a closure.
  @usableFromInline
  mutating func append(
    _ deliver: consuming @escaping @Sendable () -> Void, by thread: ThreadID
  ) {
    append(.closure(deliver), by: thread)
  }

  /// Keeps effects that were cancelled or dropped until the store is unlocked.
  mutating func remove(_ effects: Removed) {
    if !effects.isEmpty { removed.append(effects) }
  }

  /// Keeps a value of the user's until the store is unlocked, for its deinit may use the store.
  @usableFromInline
  mutating func discard(_ value: any Sendable) {
    discarded.append(value)
  }

  /// What a call on `thread` has to do after unlocking the store.
  ///
  /// If there is something to deliver and nobody does, the caller is the one who delivers from now.
  @inlinable
  mutating func duty(of thread: ThreadID) -> Duty? {
    queued.isEmpty && discarded.isEmpty && removed.isEmpty ? nil : newDuty(of: thread)
  }

  @usableFromInline
  mutating func newDuty(of thread: ThreadID) -> Duty {
    var duty = Duty()
    swap(&duty.discarded, &discarded)
    swap(&duty.removed, &removed)
    if isDelivering || queued.isEmpty { return duty }
    isDelivering = true
    duty.delivers = true
    deliverer = thread
    isForeignTurn = false
    if isImmediate { take(&duty.batch) }
    return duty
  }

  /// Takes back the emptied buffer of discarded values.
  mutating func reuse(_ buffer: inout [any Sendable]) {
    if discarded.capacity == 0 { swap(&discarded, &buffer) }
  }

  /// Notes whose deliveries the next ones of `batch` are.
  @usableFromInline
  mutating func turn(with batch: Batch) {
    isForeignTurn = batch.isForeignTurn
  }

  /// Moves all that is queued into an empty batch.
  ///
  /// - Complexity: O(1): the buffers change hands.
  mutating func take(_ batch: inout Batch) {
    swap(&batch.entries, &queued)
    swap(&queued, &spare)
  }

  /// Takes back the buffer of a delivered batch.
  ///
  /// - Returns: whether more was queued meanwhile. If not, the delivery has ended.
  mutating func end(_ batch: inout Batch) -> Bool {
    swap(&batch.entries, &spare)
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
    isForeignTurn = batch.isForeignTurn
  }

  /// Ends a delivery that was posted and will not be made; moves what was queued into `lost`.
  mutating func abandon(_ lost: inout Batch) {
    isDelivering = false
    swap(&lost.entries, &queued)
  }
}

/// What a call has to do after unlocking the store.
@usableFromInline
struct Duty: Sendable {
  /// Values to be released, first of all.
  @usableFromInline var discarded: [any Sendable] = []

  /// Effects to be finished, even before.
  @usableFromInline var removed: [Removed] = []

  /// Whether the caller has become the one who delivers.
  @usableFromInline var delivers = false

  /// What it is to deliver at once; empty where deliveries are posted.
  @usableFromInline var batch = Batch()
}
