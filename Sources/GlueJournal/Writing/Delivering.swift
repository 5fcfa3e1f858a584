import Glue

// The thread that drains the outbox writes the queued items, or one of the journal's own does. It
// holds no lock but the writer's.

extension JournalCore {
  func writeNext() {
    if options.durability == .synced { awaitGroup() }
    let turn = queue.withLock { $0.beginTurn() }
    while let batch = write(until: { $0.writtenRecords >= turn }) { finish(batch) }
  }

  func writeAll() {
    syncs.run { self.writeAllNow() }
  }

  private func writeAllNow() {
    let count = queue.withLock { $0.appendedCount }
    while let batch = writeKeepingStore(until: { $0.removedCount >= count }) { finish(batch) }
  }

  /// Writes items as ``write(until:)`` does, on a thread that doesn't hold the store.
  ///
  /// The store is kept until the writer is unlocked, because its last release ends the journal. It
  /// isn't kept longer, nor once the condition is met, so that a caller that waited for an end can
  /// release it and find the directory free.
  private func writeKeepingStore(until isDone: (borrowing Queue) -> Bool) -> Batch? {
    if queue.withLock({ isDone($0) }) { return nil }
    let store = phase.withLock { $0.store }
    return withExtendedLifetime(store) { write(until: isDone) }
  }

  /// Items that were taken from the queue, of which the first ones are written.
  private struct Batch: Sendable {
    var items: [Item]
    var count = 0
    var isLogFull = false
  }

  /// Writes items that are next in the queue, unless a condition is met.
  ///
  /// The writer is locked from taking them until they are removed, so that several threads write
  /// them in order.
  ///
  /// - Returns: what it took, to be finished; nil if the condition was met, or nothing is queued.
  private func write(until isDone: (borrowing Queue) -> Bool) -> Batch? {
    let written = use { writer in
      let start = options.durability == .synced ? directory.files.uptime : nil
      var batch = Batch(items: queue.withLock { isDone($0) ? [] : $0.take() })
      guard let first = batch.items.first else { return batch }
      if case .end = first {
        batch.count = 1
      } else {
        digestLast(of: batch.items)
        batch.count = try writer.write(batch.items)
        batch.isLogFull = writer.isLogFull
        syncLater(writer)
      }
      queue.withLock { queue in
        queue.snapshotInterval = writer.snapshotInterval
        queue.remove(batch.count, after: start.map { directory.files.uptime - $0 } ?? .zero)
      }
      return batch
    }
    let batch = written ?? takeUnrecorded(until: isDone)
    return batch.items.isEmpty ? nil : batch
  }

  /// Takes the items that a closed journal doesn't record.
  private func takeUnrecorded(until isDone: (borrowing Queue) -> Bool) -> Batch {
    queue.withLock { queue in
      let items = isDone(queue) ? [] : queue.take()
      queue.remove(items.count, after: .zero)
      return Batch(items: items)
    }
  }

  /// Does what follows a write, unlocked, and releases the items.
  private func finish(_ batch: consuming Batch) {
    if batch.count > 0 { finishWritten(batch) }
    release(&batch.items)
  }

  private func finishWritten(_ batch: borrowing Batch) {
    if case .end(let state, let commit, let closes, let wait) = batch.items[0] {
      writeEnd(with: state, after: commit)
      if closes { free() }
      wait.end(isSynced: true)
      return
    }
    let waiting = batch.items[..<batch.count].compactMap(\.wait)
    if !waiting.isEmpty { syncs.run { self.sync(for: waiting) } }
    if batch.isLogFull, let commit = batch.items[batch.count - 1].commit, let state = commit.newest
    {
      snapshot(state, after: commit.number)
    }
  }

  /// Lets callers whose last commits shared a sync share the next one too.
  ///
  /// If a sync began with the first of them, all others would wait for two (J4).
  private func awaitGroup() {
    let pause = queue.withLock { $0.pause }
    if pause == .zero { return }
    let files = directory.files
    let end = files.uptime + pause
    repeat { files.yieldThread() } while queue.withLock({ $0.pause }) > .zero && files.uptime < end
  }

  /// A commit with the newest state, in place of a commit whose intent does not encode.
  ///
  /// It stands for all commits from that one to the newest.
  func state(insteadOf commit: RecordedCommit) -> RecordedCommit? {
    guard let (state, number) = newest else { return nil }
    let lost = queue.withLock { $0.commits }.filter { commit.number...number ~= $0.number }
    let new = RecordedCommit(
      number: number, time: commit.time, cause: commit.cause,
      intent: UnrecordedIntent(commits: commit.number...number))
    new.state = state
    new.effects = lost.flatMap(\.effects)
    new.over = lost.flatMap(\.over)
    return new
  }

  /// Gives the last commit a digest, if one is due and the store has reduced nothing since.
  private func digestLast(of items: [Item]) {
    let now = directory.files.microseconds
    guard queue.withLock({ $0.digests.isDue(at: now) }),
      let commit = items.last(where: { $0.commit != nil })?.commit,
      commit.digest == nil, commit.state == nil, !commit.isForDigest,
      let newest, newest.commit == commit.number
    else { return }
    commit.digest = try? digest(of: newest.state)
  }

  private func syncLater(_ writer: Writer) {
    guard case .interval(let time) = options.durability, writer.isBehind, !writer.syncsLater else {
      return
    }
    writer.syncsLater = true
    syncs.run(after: time) { [weak self] in
      self?.use { $0.syncsLater = false }
      self?.sync(for: [])
    }
  }

  /// Syncs the log unlocked, so that writing can continue, then resumes the waiting callers.
  private func sync(for waiting: [WaitForSync]) {
    if let written = use({ $0.isBehind ? $0.written : nil }) ?? nil {
      let result = Result { try written.sync() }
      use { writer in
        try result.get()
        writer.noteDurable(written)
      }
    }
    for wait in waiting { wait.end(isSynced: true) }
  }
}

// MARK: - States

extension JournalCore {
  func end(with state: some Sendable, after commit: Int) {
    writeAllNow()
    writeEnd(with: state, after: commit)
    free()
  }

  private func writeEnd(with state: AnyState, after commit: Int) {
    snapshot(state, after: commit)
    background.wait()
    use { try $0.end() }
  }

  /// Begins a new log, and writes the state before it in the background (J8).
  ///
  /// It first waits until the last state is written: at an end, and where writing a state takes
  /// longer than filling two logs. It does nothing if this state, or a later one, was recorded.
  private func snapshot(_ state: AnyState, after commit: Int) {
    background.wait()
    let record = use { writer -> Record? in
      let isNew = writer.commit == commit && writer.stateCommit < commit
      return isNew ? try writer.beginLog(after: state) : nil
    }
    guard let record = record ?? nil else { return }
    background.run {
      self.sync(for: [])
      let size = Result { try self.place(record) }
      self.use { writer in writer.noteState(after: commit, size: try size.get()) }
      if let size = try? size.get() { self.queue.withLock { $0.digests.stateSize = size } }
    }
  }

  /// Writes a state, reads it back, and removes files no longer needed.
  ///
  /// Its log must be on the disk. It reports a state that doesn't decode instead of writing it,
  /// because the state before it and the logs give it too. A large one isn't decoded.
  ///
  /// - Returns: the size of the file, in bytes.
  func place(_ record: Record) throws -> Int {
    let file = try LineFile(in: directory, for: FileName(record.number, "state").text)
    try LineBuffer.write(record, to: file, coding)
    try file.end()
    if file.size <= options.largestDecoded, let reason = try undecodable(file) {
      report(
        "the state", "isn't written, because it can't be decoded from its own encoding: \(reason)")
      return file.size
    }
    try file.place()
    try removeOld()
    return file.size
  }

  /// Why a file's state can't be decoded; nil if it can.
  private func undecodable(_ file: LineFile) throws -> String? {
    let value = lines(of: try file.bytes()).first?.members?["value"]
    do { _ = try coding.state(from: value, version: coding.version) } catch {
      return reason(of: error)
    }
    return nil
  }

  private func removeOld() throws {
    let names = try directory.names().filter { !$0.isKept }
    guard let oldest = names.filter(\.isState).suffix(options.keeping).first else { return }
    let old = names.filter { $0.number < oldest.number }
    if old.isEmpty { return }
    // States go first, because a state without its log counts as damage. A file that is already
    // gone is no error.
    for file in old where file.isState { try? directory.remove(file) }
    try directory.syncNames()
    for file in old where !file.isState { try? directory.remove(file) }
  }
}
