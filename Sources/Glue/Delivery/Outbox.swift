/// One delivery in the outbox.
@usableFromInline
struct Entry: Sendable {
  /// Nil once taken, so that the call is released right after it was made.
  var call: Call?

  /// Whether another thread than the draining one caused it (G12).
  let isForeign: Bool
}

/// The call that a delivery makes.
///
/// The most frequent kinds store their values here, because allocating a closure would be a third
/// of their cost.
@usableFromInline
enum Call: Sendable {
  /// Calls a subscriber with a value of the type; without a type, runs a closure of the library.
  case closure(@Sendable () -> Void, of: Any.Type?)

  /// Notifies a subscriber of a small value.
  case value(any Sendable, @Sendable (any Sendable) -> Void)

  /// Calls the synchronous handlers of an effect.
  case effect(any Effect, [AnyHandler])

  /// Calls the synchronous handlers of an effect of a part, which is that of the origin.
  case partEffect(Origin, [AnyHandler])

  /// Gives an effect its turn.
  case turn(EffectRun)

  /// Reports that everything enqueued before it has been delivered, or ends a perform scope then.
  case mark(@Sendable () -> Void)

  /// Writes the next record of the log of commits.
  case record(any CommitLog)

  fileprivate consuming func make() {
    switch self {
    case .closure(let body, _), .mark(let body): body()
    case .value(let value, let notify): notify(value)
    case .effect(let effect, let handlers): handlers.call(for: effect, from: nil)
    case .partEffect(let origin, let handlers):
      if let part = origin.part { handlers.call(for: part.effect, from: origin) }
    case .turn(let run): run.takeTurn()
    case .record(let log): log.writeNext()
    }
  }

  /// The type of the effect or the value that user code gets.
  fileprivate var subject: Any.Type? {
    switch self {
    case .closure(_, let type): type
    case .value(let value, _): type(of: value)
    case .effect(let effect, _): type(of: effect)
    case .partEffect(let origin, _): origin.part.map { type(of: $0.effect) }
    case .turn(let run): type(of: run.effect)
    case .mark, .record: nil
    }
  }
}

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

  /// Makes the deliveries, and holds the rest of the outbox; made with the first one.
  private(set) var drainer: Drainer?

  /// Whether a thread drains, or a posted body will.
  private(set) var isDraining = false

  let isImmediate: Bool
  private let limit: Int32

  @usableFromInline
  init(for delivery: Delivery) {
    isImmediate = delivery.isImmediate
    limit = Int32(clamping: delivery.limit)
  }

  var isEmpty: Bool { queued.isEmpty && drainer?.older.isEmpty != false }

  /// Whether nothing is pending, being delivered, or in flight elsewhere.
  var isIdle: Bool { isEmpty && !isDraining && drainer?.calls.isEmpty != false }

  /// The number of the posted body that hasn't begun; nil if there is none.
  var waitingBody: Int? {
    isDraining && !isImmediate && takenCount == 0 ? drainer?.endedBodies : nil
  }

  /// How many entries are queued, counting each chunk as full.
  var count: Int { queued.count + (drainer?.older.count ?? 0) * Outbox.chunkSize }

  /// The pending entries, oldest first.
  var entries: [Entry] { (drainer?.older.flatMap { $0 } ?? []) + queued }

  /// The calls that deliveries have moved elsewhere and that are in flight.
  var calls: CallsInFlight { drainer?.calls ?? CallsInFlight() }

  /// How many deliveries the drainer took out together; 0 while there is no drainer.
  var takenCount: Int { drainer?.takenCount ?? 0 }

  /// Returns the drainer, and makes the first one.
  mutating func use() -> Drainer {
    if let drainer { return drainer }
    let new = Drainer()
    drainer = new
    return new
  }

  /// Enqueues a delivery that a call on `thread` caused.
  ///
  /// - Complexity: O(1).
  @usableFromInline
  mutating func append(_ call: consuming Call, by thread: ThreadID) {
    if queued.count == Outbox.chunkSize { seal() }
    let isForeign = isImmediate && isDraining && drainer?.makesForeign(by: thread) == true
    queued.append(Entry(call: call, isForeign: isForeign))
  }

  @usableFromInline
  mutating func append(_ body: consuming @escaping @Sendable () -> Void, by thread: ThreadID) {
    append(.closure(body, of: nil), by: thread)
  }

  private mutating func seal() {
    use().older.append(queued)
    queued = []
  }

  /// Enqueues a mark behind everything pending.
  ///
  /// - Parameters:
  ///   - mark: is called when the drainer reaches it, to pass it.
  ///   - thread: the calling one.
  /// - Returns: how many marks will have been passed then.
  mutating func append(mark: @escaping @Sendable () -> Void, by thread: ThreadID) -> Int {
    append(.mark(mark), by: thread)
    let drainer = use()
    drainer.marks += 1
    return drainer.marks
  }

  func passMark() { drainer?.passedMarks += 1 }
}

// MARK: - Draining

extension Outbox {
  /// Makes the caller the drainer, if there is something to deliver and no other drainer.
  ///
  /// - Returns: the drainer, if it is. It then has its first batch, unless deliveries are posted.
  mutating func beginDraining(on thread: ThreadID) -> Unmanaged<Drainer>? {
    if isDraining || isEmpty { return nil }
    isDraining = true
    let drainer = begin(on: thread)
    drainer._withUnsafeGuaranteedRef {
      if isImmediate { $0.take(&queued) } else { $0.checks.watch?.begin() }
    }
    return drainer
  }

  /// Unmanaged, because a retain and a release would cost a delivery a twentieth; the store keeps the
  /// drainer.
  private mutating func begin(on thread: ThreadID) -> Unmanaged<Drainer> {
    if drainer == nil { drainer = Drainer() }
    let drainer = Unmanaged.passUnretained(drainer.unsafelyUnwrapped)
    drainer._withUnsafeGuaranteedRef { $0.begin(on: thread, limit: Int(limit)) }
    return drainer
  }

  /// Ends a delivered batch, and takes the next one.
  ///
  /// - Returns: whether there is one. If not, draining has ended.
  mutating func refill() -> Bool {
    if end() { take() }
    return isDraining
  }

  /// Lets another thread continue the draining that was handed over to it.
  mutating func resumeDraining(on thread: ThreadID) -> Unmanaged<Drainer> {
    begin(on: thread)
  }

  /// Moves the oldest chunk to the drainer, whose empty buffer is used for new entries.
  ///
  /// - Complexity: O(1) up to 4,096 entries; else O(1) for each, in all.
  mutating func take() {
    drainer?.take(&queued)
  }

  /// - Returns: whether there is more. If not, draining has ended.
  mutating func end() -> Bool {
    drainer?.trim()
    isDraining = !isEmpty
    return isDraining
  }

  /// Takes the first chunk for a posted body that `thread` runs.
  ///
  /// - Returns: how many chunks it delivers: those that hold the pending entries.
  mutating func takeForBody(on thread: ThreadID) -> Int {
    if drainer?.older.isEmpty == false && !queued.isEmpty { seal() }
    let chunks = max(drainer?.older.count ?? 0, 1)
    drainer?.thread = thread
    take()
    return chunks
  }

  /// Ends the last chunk of a posted body.
  ///
  /// - Returns: whether there is more. If not, draining has ended.
  mutating func endBody() -> Bool {
    drainer?.endedBodies += 1
    return end()
  }

  /// Drops the entries of a posted delivery that was released, except a journal's records, which
  /// are left to the drainer.
  ///
  /// - Returns: the dropped entries.
  mutating func abandon() -> [Entry] {
    let all = entries
    queued = []
    drainer?.abandon(keeping: all.filter(\.isRecord))
    return all.filter { !$0.isRecord }
  }
}

extension Entry {
  fileprivate var isRecord: Bool {
    if case .record = call { true } else { false }
  }

  /// Whether it is only a mark, which passes when it is lost too.
  var isMark: Bool {
    if case .mark = call { true } else { false }
  }
}

/// The thread that makes a store's deliveries, with the batch that it has taken out of the outbox,
/// and what only deliveries need of the outbox.
///
/// `@unchecked Sendable` is sound because the store's lock guards the variables above `batch`, and
/// `thread`. Only the thread that drains uses the rest; the lock passes it on to the next one.
@usableFromInline
final class Drainer: @unchecked Sendable {
  /// Older entries, in chunks, the oldest first.
  @exclusivity(unchecked) fileprivate var older: [[Entry]] = []

  /// The calls that deliveries have moved elsewhere and that are in flight.
  @exclusivity(unchecked) var calls = CallsInFlight()

  /// How many marks were enqueued, and how many of them were reached or lost.
  @exclusivity(unchecked) fileprivate var marks = 0
  @exclusivity(unchecked) fileprivate(set) var passedMarks = 0

  /// How many posted bodies have ended.
  @exclusivity(unchecked) fileprivate(set) var endedBodies = 0

  @exclusivity(unchecked) fileprivate var takenCount = 0

  @exclusivity(unchecked) fileprivate var batch: [Entry] = []
  @exclusivity(unchecked) private var next = 0

  /// How many deliveries it has taken since it began, or was last looked into.
  @exclusivity(unchecked) var count = 0

  @exclusivity(unchecked) fileprivate var thread: ThreadID = 0

  /// Whether the current delivery is foreign, so that everything it causes is foreign too (G12).
  @exclusivity(unchecked) private(set) var servesOthers = false

  /// How many foreign deliveries the thread may still make.
  @exclusivity(unchecked) private var foreignLeft = 0

  /// The record of the deliveries, for debug builds and stores with a report.
  @exclusivity(unchecked) var checks = DeliveryChecks()

  @usableFromInline
  init() {}

  fileprivate func begin(on thread: ThreadID, limit: Int) {
    (self.thread, servesOthers, foreignLeft, count) = (thread, false, limit, 0)
    checks.beginDraining()
  }

  /// Whether a delivery that `thread` causes while this drains is foreign.
  fileprivate func makesForeign(by thread: ThreadID) -> Bool {
    self.thread != thread || servesOthers
  }

  fileprivate func take(_ queued: inout [Entry]) {
    if older.isEmpty { swap(&batch, &queued) } else { batch = older.removeFirst() }
    takenCount = batch.count
    count += takenCount
  }

  /// The types of its last deliveries, once there are enough; then no more until it begins anew.
  func lastTypes(pending: Int) -> [Any.Type]? {
    let new = batch.compactMap { $0.call?.subject }
    let types = checks.types(of: new, count: count, pending: pending)
    if types != nil { count = .min }
    return types
  }

  fileprivate func abandon(keeping kept: [Entry]) {
    (older, passedMarks) = ([], marks)
    batch = kept
  }

  fileprivate func trim() {
    takenCount = 0
    if batch.capacity > 1024 { batch = [] }
  }

  /// Makes the deliveries of the batch in order, and releases each before the next.
  ///
  /// - Returns: whether it made all. If not, the next one is foreign, and the limit was reached.
  @usableFromInline
  func deliver() -> Bool {
    while next < batch.count {
      servesOthers = batch[next].isForeign
      if servesOthers {
        if foreignLeft == 0 { return false }
        foreignLeft -= 1
      }
      checks.beginCall(of: batch[next].call?.subject)
      takeNext()?.make()
      checks.endCall()
    }
    next = 0
    if !batch.isEmpty { batch.removeAll(keepingCapacity: true) }
    return true
  }

  /// Moves the next delivery out.
  ///
  /// The last one is removed and not overwritten by nil, because that would make a batch of one
  /// cost a quarter more.
  private func takeNext() -> Call? {
    if next == batch.count - 1 { return batch.removeLast().call }
    next += 1
    return batch[next - 1].call.take()
  }
}
