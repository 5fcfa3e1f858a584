/// The deliveries that commits have caused and no thread has made yet, oldest first.
///
/// A caller that finds the outbox idle drains it, batch by batch, until it is empty. All other
/// callers only enqueue. The outbox grows without bound: a full one could only block the
/// dispatching thread, and a handler that waits for that thread would deadlock.
///
/// The store's lock guards it, so nothing that leaves it is released here.
@usableFromInline
struct Outbox: Sendable {
  /// The largest batch: growing a longer buffer would hold the lock too long.
  private static let chunkSize = 4096

  @usableFromInline var queued: [Entry] = []

  /// Older entries, in chunks, the oldest first.
  private var older: [[Entry]] = []
  private var spare: [Entry] = []

  /// The calls that deliveries have moved elsewhere and that are in flight.
  var calls = CallsInFlight()

  /// The numbers of the last mark enqueued, and of the last one reached or lost.
  private var lastMark = 0
  private(set) var passedMarks = 0

  /// How many posted bodies have ended.
  private(set) var endedBodies = 0

  /// How many deliveries the drainer took out together; 0 while there is no drainer.
  private(set) var takenCount = 0

  /// The rest of a call that has reached its limit, left for the thread that takes over (G12).
  private var suspended: Suspended?

  private var drainer: ThreadID = 0
  private let limit: Int
  private let isImmediate: Bool

  /// Whether a thread drains, or a posted body will.
  private(set) var isDraining = false

  /// Whether the current delivery is foreign, so that everything it causes is foreign too.
  private(set) var servesOthers = false

  @usableFromInline
  init(for delivery: Delivery) {
    isImmediate = delivery.isImmediate
    limit = delivery.limit
  }

  var isEmpty: Bool { queued.isEmpty && older.isEmpty }

  /// Whether nothing is pending, being delivered, or in flight elsewhere.
  var isIdle: Bool { isEmpty && !isDraining && calls.isEmpty }

  /// How many entries are queued, counting each chunk as full.
  var count: Int { queued.count + older.count * Outbox.chunkSize }

  /// The pending entries, oldest first.
  var entries: [Entry] { older.flatMap { $0 } + queued }

  /// Enqueues a delivery that a call on `thread` caused.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  mutating func append(_ call: consuming Call, by thread: ThreadID) {
    if queued.count == Outbox.chunkSize { seal() }
    let isForeign = isImmediate && isDraining && (drainer != thread || servesOthers)
    queued.append(Entry(call: call, isForeign: isForeign))
  }

  @usableFromInline
  mutating func append(_ body: consuming @escaping @Sendable () -> Void, by thread: ThreadID) {
    append(.closure(body), by: thread)
  }

  /// Enqueues a mark behind everything pending, and returns its number.
  mutating func appendMark(by thread: ThreadID) -> Int {
    if case .mark = queued.last?.call { return lastMark }
    append(.mark, by: thread)
    lastMark += 1
    return lastMark
  }

  mutating func passMark() { passedMarks += 1 }

  private mutating func seal() {
    older.append(queued)
    queued = []
  }

  /// Makes the caller the drainer, if there is something to deliver and no other drainer.
  ///
  /// - Returns: its first batch, which is empty where deliveries are posted; or nil.
  mutating func beginDraining(on thread: ThreadID) -> Batch? {
    if isDraining || isEmpty { return nil }
    isDraining = true
    drainer = thread
    servesOthers = false
    var batch = Batch(limit: limit)
    if isImmediate { take(&batch) }
    return batch
  }

  /// Sets whether the next deliveries of `batch` are foreign.
  @usableFromInline
  mutating func switchSides(with batch: Batch) {
    servesOthers = batch.servesOthers
  }

  /// Moves the oldest chunk into an empty batch.
  ///
  /// - Complexity: O(1) up to 4,096 entries; else O(1) for each, in all.
  mutating func take(_ batch: inout Batch) {
    if older.isEmpty {
      swap(&batch.entries, &queued)
      swap(&queued, &spare)
    } else {
      batch.entries = older.removeFirst()
    }
    takenCount = batch.entries.count
    batch.count += takenCount
  }

  /// Takes back the buffer of a delivered batch.
  ///
  /// - Returns: whether there is more. If not, draining has ended.
  mutating func end(_ batch: inout Batch) -> Bool {
    if batch.entries.capacity > 1024 { batch.entries = [] }
    swap(&batch.entries, &spare)
    takenCount = 0
    isDraining = !isEmpty
    return isDraining
  }

  /// Takes the first chunk for a posted body.
  ///
  /// - Returns: how many chunks it delivers: those that hold the pending entries.
  mutating func takeForBody(_ batch: inout Batch) -> Int {
    if !older.isEmpty && !queued.isEmpty { seal() }
    let chunks = max(older.count, 1)
    take(&batch)
    return chunks
  }

  /// Ends the last chunk of a posted body.
  ///
  /// - Returns: whether there is more. If not, draining has ended.
  mutating func endBody(_ batch: inout Batch) -> Bool {
    endedBodies += 1
    return end(&batch)
  }

  /// Keeps the rest of a batch until a thread resumes it; draining has not ended.
  mutating func suspend(_ batch: inout Batch) {
    suspended = Suspended(batch)
    batch = Batch()
  }

  /// Returns the suspended batch, to be delivered on `thread` as another call's.
  mutating func resume(on thread: ThreadID) -> Batch {
    drainer = thread
    var batch = suspended.take()?.batch ?? Batch()
    batch.renew(limit: limit)
    servesOthers = batch.servesOthers
    return batch
  }

  /// Drops the entries of a posted delivery that was released, except a journal's records.
  ///
  /// Draining continues until these are written.
  ///
  /// - Parameter kept: takes the records.
  /// - Returns: the dropped entries.
  mutating func abandon(keeping kept: inout Batch) -> [Entry] {
    let all = entries
    (older, queued, passedMarks) = ([], [], lastMark)
    kept.entries = all.filter(\.isRecord)
    return all.filter { !$0.isRecord }
  }
}

/// A box for a suspended batch, so that an outbox without one needs no room for it.
private final class Suspended: Sendable {
  let batch: Batch

  init(_ batch: Batch) { self.batch = batch }
}

extension Entry {
  fileprivate var isRecord: Bool {
    if case .record = call { true } else { false }
  }
}
