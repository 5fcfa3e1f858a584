internal import Dispatch
import Glue
internal import Synchronization

/// A journal that a store uses.
///
/// `@unchecked Sendable` is sound because what varies does so under the journal's lock alone.
final class Writing<State: Codable & Sendable>: @unchecked Sendable {
  var writer: Writer<State>
  let lock: DirectoryLock
  let store: StoreAccess<State>

  /// The commit of the newest state that was written, and its size in bytes.
  var stateCommit: Int
  var stateSize: Int

  /// Whether a newer one was asked for, or is being written.
  var isSnapshotting = false

  /// Whether a sync is due in a while.
  var isArmed = false

  init(
    _ writer: Writer<State>, _ lock: DirectoryLock, _ store: StoreAccess<State>,
    stateCommit: Int, stateSize: Int
  ) {
    self.writer = writer
    self.lock = lock
    self.store = store
    self.stateSize = stateSize
    self.stateCommit = stateCommit
  }

  /// Whether the commits since the last state are larger than it, and than a size.
  func isStateOld(_ size: Int) -> Bool { !isSnapshotting && writer.log.size > max(stateSize, size) }
}

extension Journal {
  /// Uses what is written, under the lock; a failure stops the program (J6).
  ///
  /// - Returns: nil if the journal is closed.
  func use<Result: Sendable>(_ body: (Writing<State>) throws -> Result) -> Result? {
    var failure: JournalFailure?
    let result = phase.withLock { phase -> Result? in
      if case .failed = phase {
        failure = JournalFailure(path: "", reason: "", lastDurableCommit: 0)
      }
      guard case .writing(let writing) = phase else { return nil }
      do { return try body(writing) } catch {
        failure = JournalFailure(
          path: directory.path, reason: reason(for: error),
          lastDurableCommit: writing.writer.durableCommit)
        phase = .failed
        return nil
      }
    }
    if let failure { fail(failure) }
    return result
  }

  /// Tells of a failure and stops the program; whoever else would write waits for that.
  private func fail(_ failure: JournalFailure) -> Never {
    if failure.path.isEmpty { while true { sleepBriefly() } }
    options.onFailure?(failure)
    stopForFailure(failure)
  }

  private func reason(for error: any Error) -> String {
    switch error {
    case let error as Undecodable: error.reason
    case let error as UnwritableIntent: error.reason
    default: "\(error)"
    }
  }
}

// MARK: - Delivering

extension Journal {
  /// Writes what is next in the outbox, as much as one write may hold.
  ///
  /// - Returns: how many of the items that was.
  func write(_ items: [Item<State>], before rest: () -> [Item<State>]) -> Int {
    if case .state(let state, let commit, let point) = items.first?.content {
      write(state, after: commit, point)
      return 1
    }
    var waiting: [WaitForSync] = []
    var reports: [String] = []
    let written = use { writing -> (count: Int, store: StoreAccess<State>?) in
      let count = try add(items, rest, to: writing, &waiting)
      swap(&reports, &writing.writer.reports)
      arm(writing)
      if !writing.isStateOld(options.smallestLog) { return (count, nil) }
      writing.isSnapshotting = true
      return (count, writing.store)
    }
    for text in reports { options.report("\(directory.path): \(text)") }
    for wait in waiting { wait.end() }
    written?.store?.queue { state, commit in
      Item(.state(state, after: commit, .snapshot), in: self)
    }
    return written?.count ?? items.count
  }

  private func add(
    _ items: [Item<State>], _ rest: () -> [Item<State>], to writing: Writing<State>,
    _ waiting: inout [WaitForSync]
  ) throws -> Int {
    var count = 0
    items: for item in items {
      switch item.content {
      case .commit(let commit):
        try writing.writer.add(commit) { newest(writing, items[count...] + rest()) }
      case .over(let keys): writing.writer.add(over: keys)
      case .sync(let wait): waiting.append(wait)
      case .state: break items
      }
      count += 1
      if writing.writer.isFull { break items }
    }
    try writing.writer.flush(syncing: !waiting.isEmpty)
    return count
  }

  private func newest(
    _ writing: Writing<State>, _ items: [Item<State>]
  ) -> NewestState<State>? {
    guard let (state, commit, queued) = writing.store.newest() else { return nil }
    let all = items + queued.compactMap { $0 as? Item<State> }
    return NewestState(
      state: state, commit: commit,
      behind: all.compactMap { if case .commit(let item) = $0.content { item } else { nil } })
  }

  /// Sees to it that what was written is on the disk in a while, if that is how it is to be.
  private func arm(_ writing: Writing<State>) {
    guard case .interval(let time) = options.durability, writing.writer.isBehind,
      !writing.isArmed
    else { return }
    writing.isArmed = true
    let seconds = max(0, time / .seconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self] in self?.syncNow() }
  }

  /// Syncs what is written now, while others write on.
  private func syncNow() {
    let synced = use { writing -> (LogFile, Int, Int) in
      writing.isArmed = false
      return (writing.writer.log, writing.writer.next - 1, writing.writer.commit)
    }
    guard let (log, record, commit) = synced else { return }
    let result = Result { try directory.files.syncAll(log.file) }
    use { writing in
      try result.get()
      writing.writer.noteSynced(up: record, commit)
    }
  }
}
