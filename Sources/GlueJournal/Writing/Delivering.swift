internal import Dispatch
import Glue

// What is done when the place in the outbox has come of what is to be written; no lock is held.

extension JournalCore {
  func writeNext() {
    var items = queue.withLock { $0.take() }
    if items.isEmpty { return }
    let count = write(items)
    queue.withLock { $0.remove(count) }
    release(&items)
  }

  /// Writes as much as one write may hold.
  ///
  /// - Returns: how many of the items that was.
  private func write(_ items: [Item]) -> Int {
    if case .closed(let commit) = items[0].content, let state = items[0].state {
      writeEnd(with: state, after: commit)
      if items[0].wait != nil { free() }
      items[0].wait?.end(isSynced: true)
      return 1
    }
    digestLast(of: items)
    var released: [KeptEffect?] = []
    var reports: [Notice] = []
    let written = use { writer -> (count: Int, isLogFull: Bool) in
      let written = try add(items, to: writer)
      swap(&released, &writer.released)
      reports = writer.takeReports()
      queue.withLock { $0.snapshotInterval = writer.snapshotInterval }
      arm(writer)
      return written
    }
    for (subject, text) in reports { report(subject, text) }
    guard let (count, isLogFull) = written else { return items.count }
    let waiting = items[..<count].compactMap(\.wait)
    if !waiting.isEmpty { syncs.async { self.sync(for: waiting) } }
    if isLogFull, let commit = items[count - 1].commit, let state = items[count - 1].state {
      snapshot(state, after: commit.number)
    }
    return count
  }

  private func add(
    _ items: [Item], to writer: Writer
  ) throws -> (count: Int, isLogFull: Bool) {
    var count = 0
    var isLogFull = false
    items: for item in items {
      switch item.content {
      case .commit(let commit): try writer.add(commit) { state(insteadOf: commit) }
      case .over(let keys): try writer.add(over: keys)
      case .closed: break items
      default: break
      }
      count += 1
      isLogFull = item.state != nil && writer.isLogFull
      if isLogFull || writer.isFull { break }
    }
    try writer.flush(syncing: false)
    return (count, isLogFull)
  }

  /// The newest state, which stands for all commits up to it, instead of one that does not encode.
  private func state(insteadOf commit: RecordedCommit) -> RecordedCommit? {
    guard let (state, number) = newest else { return nil }
    let lost = queue.withLock { $0.all }.compactMap(\.commit).filter {
      commit.number...number ~= $0.number
    }
    let new = RecordedCommit(
      number: number, time: commit.time, cause: commit.cause,
      intent: UnrecordedIntent(commits: commit.number...number))
    new.state = state
    new.effects = lost.flatMap(\.effects)
    new.over = lost.flatMap(\.over)
    return new
  }

  /// Gives the last commit its digest, if one is due and nothing was reduced since.
  private func digestLast(of items: [Item]) {
    let now = microsecondsNow()
    guard queue.withLock({ $0.digests.isDue(at: now) }),
      let commit = items.last(where: { $0.commit != nil })?.commit,
      commit.digest == nil, commit.state == nil, let newest, newest.commit == commit.number
    else { return }
    commit.digest = try? digest(of: newest.state)
  }

  /// Sees to it that what was written is on the disk in a while, if that is how it is to be.
  private func arm(_ writer: Writer) {
    guard case .interval(let time) = options.durability, writer.isBehind, !writer.isArmed else {
      return
    }
    writer.isArmed = true
    let seconds = max(0, time / .seconds(1))
    syncs.asyncAfter(deadline: .now() + seconds) { [weak self] in
      self?.use { $0.isArmed = false }
      self?.sync(for: [])
    }
  }

  /// Syncs what is written, unlocked, for those who wait for it: others may write meanwhile.
  private func sync(for waiting: [WaitForSync]) {
    if let written = use({ $0.isBehind ? $0.written : nil }) ?? nil {
      let result = Result { try written.log?.sync() }
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
  /// Begins a new log, and writes the state before it in the background (J8), when the one before
  /// is written.
  private func snapshot(_ state: AnyState, after commit: Int) {
    background.sync {}
    guard let record = beginLog(after: state, of: commit) else { return }
    background.async { self.write(record, after: commit) }
  }

  func end(with state: some Sendable, after commit: Int) {
    writeEnd(with: state, after: commit)
    free()
  }

  /// Writes a clean end (J14).
  private func writeEnd(with state: AnyState, after commit: Int) {
    background.sync {}
    if let record = beginLog(after: state, of: commit) { write(record, after: commit) }
    use { try $0.end() }
  }

  /// - Returns: the state to be written; nil if that was done, or a later one was recorded.
  private func beginLog(after state: AnyState, of commit: Int) -> Record? {
    let record = use { writer -> Record? in
      if writer.commit != commit || writer.stateCommit >= commit { return nil }
      return try writer.beginLog(after: state)
    }
    return record ?? nil
  }

  private func write(_ record: Record, after commit: Int) {
    let size = Result { try place(record) }
    use { writer in writer.noteState(after: commit, size: try size.get()) }
  }

  /// Writes a state, reads it back, and removes what is not needed any more; one that doesn't decode
  /// is reported instead, for the state before it and the logs give it too.
  ///
  /// - Returns: the size of the file, in bytes.
  func place(_ record: Record) throws -> Int {
    let name = FileName(record.number, "state").name
    var line = LineBuffer()
    try line.write(record, coding)
    let value = lines(of: line.bytes).first?.members?["value"]
    do { _ = try coding.state(from: value, version: coding.version) } catch {
      let reason = reason(of: error, isBare: true)
      report(
        "the state", "isn't written, because it doesn't decode from what it encodes: \(reason)")
      return line.bytes.count
    }
    try directory.place(line.bytes, as: name)
    if try directory.source(name).bytes != line.bytes {
      throw JournalError("\(directory.path)/\(name)", "what is read back is not what was written")
    }
    try removeOld()
    return line.bytes.count
  }

  private func removeOld() throws {
    let names = try directory.names()
    guard let oldest = names.filter(\.isState).suffix(options.keeping).first else { return }
    let old = names.filter { $0.number < oldest.number }
    if old.isEmpty { return }
    // A state without its log would be taken for damage, so the states go first; a file that has
    // been removed meanwhile is gone, which is all that is wanted.
    for file in old where file.isState { try? directory.remove([file.name]) }
    try directory.syncNames()
    for file in old where !file.isState { try? directory.remove([file.name]) }
  }
}
