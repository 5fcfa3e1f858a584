import Glue

/// An item to write.
enum Item: Sendable {
  case commit(RecordedCommit)
  case over([EffectKey])

  /// A caller that waits until everything before this item is on the disk.
  case wait(WaitForSync)

  /// A clean end, for which a caller waits, and whether it closes the journal.
  indirect case end(AnyState, after: Int, closes: Bool, WaitForSync)

  var commit: RecordedCommit? {
    if case .commit(let commit) = self { commit } else { nil }
  }

  var isRecord: Bool {
    switch self {
    case .commit, .over: true
    case .wait, .end: false
    }
  }

  var wait: WaitForSync? {
    if case .wait(let wait) = self { wait } else { nil }
  }
}

/// The items that are not written yet, and when later commits carry a state or a digest.
struct Queue: Sendable {
  private var items: [Item?] = []
  private var head = 0

  /// How many items were removed, how many of them were records, and for how many records the turn
  /// has come in the store's outbox.
  private(set) var removedCount = 0
  private(set) var writtenRecords = 0
  private var turns = 0

  /// How many commits were written with the last sync, and how long that took.
  private var lastCount = 0
  private var lastTime = Duration.zero

  /// How long the next write may wait for as many items as the last sync had commits; zero if they
  /// are there, or without a sync.
  var pause: Duration {
    writtenRecords > turns || items.count - head >= lastCount
      ? .zero : min(lastTime / 2, .microseconds(200))
  }

  /// A commit carries a copy of the state if this many commits have passed since the last copy.
  ///
  /// With many items queued, the store's state is far ahead of the log, so only a copy among them
  /// can end the log in time.
  var snapshotInterval = 1
  private var lastSnapshot = 0
  var digests: DigestPace

  init(_ options: Options) { digests = DigestPace(options) }

  var commits: [RecordedCommit] { items.compactMap { $0?.commit } }

  /// How many commits, and ends of effects with a record of their own, are not written.
  ///
  /// - Complexity: O(*n*) in the number of items.
  var recordCount: Int { items[head...].count { $0?.isRecord == true } }

  mutating func append(_ item: Item) { items.append(item) }

  mutating func takesState(after commit: Int) -> Bool {
    if commit - lastSnapshot < snapshotInterval { return false }
    lastSnapshot = commit
    return true
  }

  /// How many items were appended.
  var appendedCount: Int { removedCount + items.count - head }

  /// Begins the turn of a record.
  ///
  /// - Returns: how many records must be written before it ends.
  mutating func beginTurn() -> Int {
    turns += 1
    return turns
  }

  /// Takes the items to write with the next sync.
  func take() -> [Item] {
    items[head...].prefix(1000).compactMap { $0 }
  }

  /// Removes items written in a time, which is zero without a sync.
  ///
  /// The caller still holds them, so no deinit runs under the lock.
  ///
  /// - Complexity: O(1) for each, amortized.
  mutating func remove(_ count: Int, after time: Duration) {
    if time > .zero {
      (lastCount, lastTime) = (items[head..<head + count].count { $0?.commit != nil }, time)
    }
    for index in head..<head + count {
      if items[index]?.isRecord == true { writtenRecords += 1 }
      items[index] = nil
    }
    head += count
    removedCount += count
    if head * 2 < items.count { return }
    items.removeSubrange(..<head)
    head = 0
  }
}

/// Decides when a digest is due: after 64 times the duration of the last one and its record.
///
/// So digests take at most a 64th of the time.
struct DigestPace: Sendable {
  private let options: Options

  /// When the last digest was made or left to the writer, in microseconds since 1970, and the cost
  /// of the last one made, in nanoseconds.
  var last = 0
  var cost = 0

  /// The size of the newest recorded state, in bytes.
  var stateSize = 0

  init(_ options: Options) { self.options = options }

  /// Whether a digest is due at a time, in microseconds since 1970.
  ///
  /// It is if the clock was set back. It never is for a large state.
  func isDue(at time: Int) -> Bool {
    if stateSize > options.largestDigested { return false }
    return time < last || (time - last) * 1000 >= cost * options.digestPause
  }

  /// Whether a digest takes too long under the store's lock.
  var isSlow: Bool { cost > options.slowDigest }
}

final class WaitForSync: Sendable {
  private let completion: Locked<(@Sendable (_ isSynced: Bool) -> Void)?>

  init(_ completion: @escaping @Sendable (_ isSynced: Bool) -> Void) {
    self.completion = Locked(completion)
  }

  /// A wait that is dropped because the journal is closed resumes its caller.
  deinit { end(isSynced: false) }

  func end(isSynced: Bool) {
    completion.withLock { $0.take() }?(isSynced)
  }
}
