/// The deliveries that commits have caused and no thread has made yet, oldest first.
///
/// A caller that finds the outbox idle drains it, batch by batch, until it is empty. All other
/// callers only enqueue. The outbox grows without bound: a full one could only block the dispatching
/// thread, and a handler that waits for that thread would deadlock.
///
/// The store's lock guards it, so nothing that leaves it is released here.
@usableFromInline
struct Outbox: Sendable {
  /// How many entries a batch has at most: growing a longer buffer would hold the lock too long.
  private static let chunkSize = 4096

  /// The newest entries.
  @usableFromInline var queued: [Entry] = []

  /// Older entries, in chunks, the oldest first.
  private var older: [[Entry]] = []
  private var spare: [Entry] = []

  /// The calls that deliveries have moved elsewhere and that have not returned.
  var calls = CallsInFlight()

  /// How many marks were enqueued, and how many of them were reached or lost.
  private var lastMark = 0
  private(set) var passedMarks = 0

  /// How many posted bodies have ended.
  private(set) var endedBodies = 0

  /// How many deliveries the drainer took out together; 0 while none is under way.
  private(set) var takenCount = 0

  /// What a call that has been held up long enough leaves for the thread that takes over (G12).
  private var suspended: Suspended?

  private var drainer: ThreadID = 0
  private let limit: Int
  private let isImmediate: Bool

  /// Whether a thread drains, or a body that was posted is to.
  private(set) var isDraining = false

  /// Whether the delivery being made is foreign, so that what it causes is foreign too.
  private(set) var servesOthers = false

  @usableFromInline
  init(for delivery: Delivery) {
    isImmediate = delivery.isImmediate
    limit = delivery.limit
  }

  var isEmpty: Bool { queued.isEmpty && older.isEmpty }

  /// Whether nothing is queued, being delivered, or in flight elsewhere.
  var isIdle: Bool { isEmpty && !isDraining && calls.isEmpty }

  /// How many entries are queued, counting each chunk as full.
  var count: Int { queued.count + older.count * Outbox.chunkSize }

  /// What is queued, oldest first.
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

  /// Enqueues a closure.
  @usableFromInline
  mutating func append(_ body: consuming @escaping @Sendable () -> Void, by thread: ThreadID) {
    append(.closure(body), by: thread)
  }

  /// Enqueues a mark behind all that is queued, and returns its number.
  mutating func appendMark(by thread: ThreadID) -> Int {
    if case .mark = queued.last?.call { return lastMark }
    append(.mark, by: thread)
    lastMark += 1
    return lastMark
  }

  /// Notes that the next mark has been reached.
  mutating func passMark() { passedMarks += 1 }

  private mutating func seal() {
    older.append(queued)
    queued = []
  }

  /// Makes the caller the drainer, if there is something to deliver and no other drains.
  ///
  /// - Returns: what it delivers first, which is empty where deliveries are posted; or nil.
  mutating func beginDraining(on thread: ThreadID) -> Batch? {
    if isDraining || isEmpty { return nil }
    isDraining = true
    drainer = thread
    servesOthers = false
    var batch = Batch(limit: limit)
    if isImmediate { take(&batch) }
    return batch
  }

  /// Notes whether the next deliveries of `batch` are foreign.
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

  /// Takes what a posted body delivers first.
  ///
  /// - Returns: how many chunks it delivers: those that hold what is queued now.
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

  /// Takes what is left of a batch until a thread resumes it.
  ///
  /// Draining goes on meanwhile.
  mutating func suspend(_ batch: inout Batch) {
    suspended = Suspended(batch)
    batch = Batch()
  }

  /// Gives back the suspended batch, to be delivered on `thread` as another call's.
  mutating func resume(on thread: ThreadID) -> Batch {
    drainer = thread
    var batch = suspended.take()?.batch ?? Batch()
    batch.renew(limit: limit)
    servesOthers = batch.servesOthers
    return batch
  }

  /// Gives up a delivery that was posted and dropped, but for the records of a journal.
  ///
  /// Draining goes on with these until they are written, and ends.
  ///
  /// - Parameter kept: takes the records.
  /// - Returns: the entries that are lost.
  mutating func abandon(keeping kept: inout Batch) -> [Entry] {
    let all = entries
    (older, queued, passedMarks) = ([], [], lastMark)
    kept.entries = all.filter(\.isRecord)
    return all.filter { !$0.isRecord }
  }
}

/// A batch that no outbox needs room for until one is suspended.
private final class Suspended: Sendable {
  let batch: Batch

  init(_ batch: Batch) { self.batch = batch }
}

extension Entry {
  fileprivate var isRecord: Bool {
    if case .record = call { true } else { false }
  }
}
