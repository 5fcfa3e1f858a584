import Glue

/// What a journal writes: it waits in the store's outbox.
///
/// `@unchecked Sendable` is sound because what varies does so under the store's lock, and then on
/// the one thread that has taken it out of the outbox.
final class Item: Written, @unchecked Sendable {
  enum Content {
    case commit(RecordedCommit)

    /// Effects that are over.
    case over([EffectKey])

    /// A clean end, with the state after a commit; whether the journal is closed then.
    case end(AnyState, after: Int, isLast: Bool)

    /// Somebody waits until all before it is on the disk.
    case sync(WaitForSync)
  }

  let journal: JournalCore
  private(set) var content: Content

  /// The state after the commit, that the log may end with it.
  let state: AnyState?

  init(_ content: Content, with state: AnyState? = nil, in journal: JournalCore) {
    self.content = content
    self.state = state
    self.journal = journal
  }

  var commit: RecordedCommit? {
    if case .commit(let commit) = content { commit } else { nil }
  }

  /// Adds effects that the commit has cancelled, dropped or replaced.
  func add(over keys: [EffectKey]) {
    guard var commit else { return }
    commit.over += keys
    content = .commit(commit)
  }

  func add(_ digest: Digest?) {
    guard var commit else { return }
    commit.digest = digest
    content = .commit(commit)
  }

  func write(_ all: [any Written], before rest: () -> [any Written]) -> Int {
    journal.write(all, before: rest)
  }
}

/// One who waits until something is on the disk.
final class WaitForSync: Sendable {
  private let continuation: Guarded<CheckedContinuation<Bool, Never>?>

  init(_ continuation: CheckedContinuation<Bool, Never>) {
    self.continuation = Guarded(continuation)
  }

  /// What is lost on the way, as the journal is closed, keeps nobody waiting.
  deinit { end(isSynced: false) }

  func end(isSynced: Bool) {
    continuation.withLock { $0.take() }?.resume(returning: isSynced)
  }
}
