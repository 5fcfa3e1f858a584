import Glue

/// What is to be written.
enum Item: Sendable {
  case commit(RecordedCommit)
  case over([EffectKey])

  /// Something waits until all before it is on the disk.
  case wait(WaitForSync)

  /// A clean end; if something waits for it, the journal is closed then.
  indirect case end(AnyState, after: Int, wait: WaitForSync?)

  var commit: RecordedCommit? {
    if case .commit(let commit) = self { commit } else { nil }
  }

  var wait: WaitForSync? {
    if case .wait(let wait) = self { wait } else { nil }
  }
}

/// The items that are not written, and what decides about those to come.
struct Queue: Sendable {
  private var items: [Item?] = []
  private var head = 0

  /// How many are being written, and how many were before their turn.
  private var taken = 0
  private var ahead = 0

  /// A commit brings the state after it along when so many have been since the last that did: where
  /// many wait, the state is far ahead of the log, and only a copy among them can end it in time.
  var snapshotInterval = 1
  private var lastSnapshot = 0
  var digests: DigestPace

  init(_ options: Options) { digests = DigestPace(options) }

  var commits: [RecordedCommit] { items.compactMap { $0?.commit } }

  mutating func append(_ item: Item) { items.append(item) }

  /// Adds effects that the last commit has ended to it, unless it is being written.
  mutating func add(over keys: [EffectKey]) -> Bool {
    guard items.count > head + taken, let commit = items.last??.commit else { return false }
    commit.over += keys
    return true
  }

  mutating func takesState(after commit: Int) -> Bool {
    if commit - lastSnapshot < snapshotInterval { return false }
    lastSnapshot = commit
    return true
  }

  /// What is written next, many by one sync; empty if the next was written before its turn.
  mutating func take() -> [Item] {
    if ahead > 0 {
      ahead -= 1
      return []
    }
    let next = items[head...].prefix(1000).compactMap { $0 }
    taken = next.count
    return next
  }

  /// Removes what was written; the caller holds it, so nothing is released here.
  ///
  /// - Complexity: O(1) for each, amortized.
  mutating func remove(_ count: Int) {
    for index in head..<head + count { items[index] = nil }
    head += count
    (taken, ahead) = (0, count - 1)
    if head * 2 < items.count { return }
    items.removeSubrange(..<head)
    head = 0
  }
}

/// Says when a digest is due: when 64 times what the last one took, with its record, have passed
/// since, so that all together take at most a 64th of the time.
struct DigestPace: Sendable {
  private let options: Options

  /// When the last one was made or left to the writer, in microseconds since 1970, and what the last
  /// that was made took, in nanoseconds.
  var last = 0
  var cost = 0

  init(_ options: Options) { self.options = options }

  /// Whether one is due at a time, in microseconds since 1970; the clock may have been set back.
  func isDue(at time: Int) -> Bool {
    time < last || (time - last) * 1000 >= cost * options.digestPause
  }

  /// Whether one takes too long to be made under the store's lock.
  var isSlow: Bool { cost > options.slowDigest }
}

final class WaitForSync: Sendable {
  private let continuation: Guarded<CheckedContinuation<Bool, Never>?>

  init(_ continuation: CheckedContinuation<Bool, Never>) {
    self.continuation = Guarded(continuation)
  }

  /// What is lost on the way, as the journal is closed, keeps nothing waiting.
  deinit { end(isSynced: false) }

  func end(isSynced: Bool) {
    continuation.withLock { $0.take() }?.resume(returning: isSynced)
  }
}
