import Synchronization

/// Which commits bring the state after them along, for the log may end there.
///
/// That is decided when they are reduced: when many wait to be written, the state is far ahead of the
/// log, and only a copy that waits among them can end it in time.
struct SnapshotPace: ~Copyable, Sendable {
  /// The last commit that has; it varies under the store's lock.
  private let last = Atomic(0)
  private let interval = Atomic(1)

  /// Two states a log, so that the second ends it where the first did not find it full.
  func set(commitsPerLog count: Int) { interval.store(max(1, count / 2), ordering: .relaxed) }

  /// Whether a commit is one of them; asked under the store's lock, once for each.
  func takesState(after commit: Int) -> Bool {
    if commit - last.load(ordering: .relaxed) < interval.load(ordering: .relaxed) { return false }
    last.store(commit, ordering: .relaxed)
    return true
  }
}
