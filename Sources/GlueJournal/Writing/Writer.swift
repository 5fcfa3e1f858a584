internal import Glue

/// Writes a journal's log, and knows which records are in the files and which are on the disk.
final class Writer {
  private let core: JournalCore
  private var log: File?

  /// The logs before this one that may not be on the disk, and whether this one's name may not be.
  private var earlier: [File] = []
  private var hasNewName = false

  /// The sizes of the log and the newest state, in bytes, and the commit of that state.
  private var logSize = 0
  private(set) var stateSize = 0
  private(set) var stateCommit = 0

  /// Whether the state before the log is being written.
  private var isWritingState = false

  /// The size of the last commits; before the first one, an estimate that weighs little.
  private var recent = (bytes: 1 << 10, commits: 1)

  // Unchecked, because checking each exclusive access took 3 % of a written commit. The lock
  // around the writer serializes all uses.
  @exclusivity(unchecked) private var buffer = LineBuffer()

  /// The number of the next record, and of the last one known to be on the disk with all before it.
  private var next = 1
  private var durable = 0

  /// The last commit written, and the last one known to be on the disk.
  private(set) var commit = 0
  private(set) var durableCommit = 0
  private var left: [EffectKey: KeptEffect]

  /// Effects to release when the journal is unlocked, because a deinit may use it.
  private var released: [KeptEffect?] = []

  var hasFailed = false
  var syncsLater = false
  private var isEnded = false

  init(_ core: JournalCore, _ found: Found?, left: [EffectKey: KeptEffect]) {
    self.core = core
    self.left = left
    if let found {
      (log, logSize, stateSize) = (found.log, found.logSize, found.stateSize)
      (stateCommit, commit) = (found.recorded.start, found.recorded.commit)
      (durableCommit, next, durable) = (commit, found.next, found.next - 1)
      isEnded = found.isClosed
    }
    #if DEBUG
      buffer.decoded = []
    #endif
  }

  private var fullSize: Int { max(stateSize, core.options.smallestLog) }

  /// Whether the commits since the last state are larger than it.
  ///
  /// While that state is being written, the log continues until they are three times as large.
  var isLogFull: Bool { logSize + buffer.bytes.count > fullSize * (isWritingState ? 3 : 1) }

  /// Half a log, in commits of the recent size: of two copies of the state, the second ends a log
  /// that was not full at the first.
  var snapshotInterval: Int { max(1, fullSize / max(1, recent.bytes / recent.commits) / 2) }
  var isBehind: Bool { durable < next - 1 }

  var unfinished: [KeptEffect] { left.values.sorted { $0.key < $1.key } }

  func takeLeftover() -> (released: [KeptEffect?], reports: [Notice]) {
    defer { (released, buffer.reports) = ([], []) }
    return (released, buffer.reports)
  }
}

// MARK: - Records

extension Writer {
  /// Writes items up to a clean end, or until the buffer or the log is full.
  ///
  /// - Returns: how many items it wrote: at least one, unless an end is the first.
  func write(_ items: [Item]) throws -> Int {
    var count = 0
    items: for item in items {
      switch item {
      case .commit(let commit): try add(commit)
      case .over(let keys): try add(over: keys)
      case .wait: break
      case .end: break items
      }
      count += 1
      if buffer.bytes.count >= 1 << 18 || isLogFull && item.commit?.newest != nil { break }
    }
    try flush(syncing: false)
    return count
  }

  private func add(_ item: RecordedCommit) throws {
    if item.number <= commit { return }
    for type in item.unnamed {
      report(
        "effects of type \(type)",
        "have no name in the format, so they are lost if the process ends first; name them"
          + (type == Send.self ? ": .sends(\"send\")" : "")
          + ", or accept the loss: .atMostOnce(\(type).self)")
    }
    let type = type(of: item.intent)
    if !core.coding.intents.contains(type) {
      report(
        "intents of type \(type)",
        "have no name in the format; the state after each is recorded instead")
      item.intent = UnrecordedIntent(commits: item.number...item.number)
    }
    do { try write(item) } catch let error as CodingFailure where error.isOfIntent {
      report(
        "intents of type \(type)",
        "don't all encode; the state is recorded instead of one: \(error.reason)")
      guard let state = core.state(insteadOf: item) else { throw error }
      try write(state)
    }
  }

  private func write(_ item: RecordedCommit) throws {
    if let state = item.state {
      item.digest = try Digest.of(coded(state))
    } else if let copy = item.copy, item.isForDigest {
      item.digest = try? core.digest(of: copy)
    }
    #if DEBUG
      if let depth = item.digest?.depth, depth > Digest.deepestLevel / 2 {
        report(
          "the depth of the state",
          "is \(depth) levels; the journal can't write more than \(Digest.deepestLevel)")
      }
    #endif
    try add(.commit(item))
    recent.commits += 1
    commit = item.number
    for effect in item.effects { left[effect.key] = effect }
    for key in item.over { released.append(left.removeValue(forKey: key)) }
  }

  private func add(over keys: [EffectKey]) throws {
    let known = keys.filter { left[$0] != nil }
    for key in known { released.append(left.removeValue(forKey: key)) }
    if !known.isEmpty { try add(.over(known)) }
  }

  private func add(_ content: Record.Content) throws {
    try buffer.write(Record(number: next, durable: durable, content: content), core.coding)
    next += 1
    isEnded = false
  }

  private func report(_ subject: String, _ text: String) { buffer.reports.append((subject, text)) }
}

// MARK: - Files

extension Writer {
  /// Writes the added records; with ``Durability/synced`` it syncs them if they hold commits.
  private func flush(syncing: Bool) throws {
    guard let log, !buffer.bytes.isEmpty || isBehind else { return }
    if !buffer.bytes.isEmpty {
      try log.append(buffer.bytes)
      logSize += buffer.bytes.count
      recent.bytes += buffer.bytes.count
      if recent.bytes > 1 << 20 { recent = (recent.bytes / 2, recent.commits / 2 + 1) }
      buffer.removeAll()
    }
    let isDue = core.options.durability == .synced && commit > durableCommit
    if (syncing || isDue) && isBehind {
      try written.sync()
      noteDurable(written)
    }
    try core.directory.check(log, holds: logSize)
  }

  /// Writes and syncs all that was added.
  func sync() throws { try flush(syncing: true) }

  /// Begins a new log with its first record.
  ///
  /// It syncs neither the new log nor the old one.
  ///
  /// - Returns: the record of the state before it, for the caller to write after a sync.
  func beginLog(after state: AnyState) throws -> Record {
    try flush(syncing: false)
    let time = core.directory.files.microseconds
    let record = Record(
      number: next, durable: durable,
      content: .state(state, after: commit, at: time, left: unfinished))
    let log = try core.directory.open(FileName(next, "log").text, .making)
    try log.truncate(to: 0)
    if let old = self.log { earlier.append(old) }
    (self.log, logSize, hasNewName, isWritingState) = (log, 0, true, true)
    try add(.log(after: commit, at: time, boot: core.directory.files.boot))
    try flush(syncing: false)
    return record
  }

  /// The logs and records that have been written, and must be synced to be durable.
  struct Written: Sendable {
    fileprivate let logs: [File]

    /// The directory that has a new name.
    fileprivate let directory: Directory?
    fileprivate let record: Int
    fileprivate let commit: Int

    /// Syncs everything, in the order in which it was written.
    func sync() throws {
      for log in logs { try log.sync() }
      try directory?.syncNames()
    }
  }

  var written: Written {
    Written(
      logs: earlier + (log.map { [$0] } ?? []), directory: hasNewName ? core.directory : nil,
      record: next - 1, commit: commit)
  }

  func noteDurable(_ written: Written) {
    durable = max(durable, written.record)
    durableCommit = max(durableCommit, written.commit)
    // The last log may have grown while it was synced.
    earlier.removeAll { log in written.logs.dropLast().contains { $0 === log } }
    if written.directory != nil && written.logs.last === log { hasNewName = false }
  }

  func noteState(after commit: Int, size: Int) {
    (stateCommit, stateSize, isWritingState) = (commit, size, false)
  }

  func end() throws {
    try flush(syncing: true)
    if isEnded { return }
    try add(.closed(after: commit))
    isEnded = true
    try flush(syncing: true)
  }
}
