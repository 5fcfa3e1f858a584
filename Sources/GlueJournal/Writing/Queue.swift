import Glue

/// What waits in the store's outbox for its turn.
final class Item: Sendable {
  /// What is to be written; nil if something only waits for what is before it.
  let content: Record.Content?

  /// The state after a commit, which the log may end with, or of a clean end.
  let state: AnyState?

  /// What waits until all up to here is on the disk; at a clean end, the journal is closed then.
  let wait: WaitForSync?

  init(_ content: Record.Content?, state: AnyState? = nil, wait: WaitForSync? = nil) {
    self.content = content
    self.state = state
    self.wait = wait
  }

  var commit: RecordedCommit? {
    if case .commit(let commit) = content { commit } else { nil }
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

  var all: [Item] { items.compactMap { $0 } }

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
  private let pause: Int
  private let limit: Int

  /// When the last one was made or left to the writer, in microseconds since 1970, and what the last
  /// that was made took, in nanoseconds.
  var last = 0
  var cost = 0

  init(_ options: Options) {
    pause = options.digestPause
    limit = options.slowDigest
  }

  /// Whether one is due at a time, in microseconds since 1970; the clock may have been set back.
  func isDue(at time: Int) -> Bool {
    let passed = time - last
    return passed < 0 || passed * 1000 >= cost * pause
  }

  /// Whether one takes too long to be made under the store's lock.
  var isSlow: Bool { cost > limit }
}

/// One that waits until something is on the disk.
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
