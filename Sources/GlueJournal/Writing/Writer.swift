internal import Glue

/// Something for the user's log, said once for each subject.
typealias Report = (subject: String, text: String)

/// How far a log was written.
struct Progress: Sendable {
  let log: File?
  let record: Int
  let commit: Int
}

/// What writes a journal's log: it knows what is in the files, and what of that is on the disk.
final class Writer {
  private let directory: Directory
  private let coding: Coding
  private let isSynced: Bool

  /// Makes the digest of a large state, and notes what that takes.
  private let digest: (AnyState) throws(Unwritable) -> Digest?

  private var log: File?

  /// The sizes of the log and of the newest state, in bytes, and the commit of that state.
  private var logSize = 0
  private var stateSize = 0
  private(set) var stateCommit = 0

  /// How much the last commits have taken; before there is any, what an intent may.
  private var recent = (bytes: 1 << 16, commits: 1 << 8)
  private var buffer = LineBuffer()

  /// The number of the next record, and up to which all are known to be on the disk.
  private var next = 1
  private var durable = 0

  /// The last commit that was written, and the last one known to be on the disk.
  private(set) var commit = 0
  private(set) var durableCommit = 0

  /// The effects that must happen and are not over.
  private var left: [EffectKey: KeptEffect]

  /// Those that are over, to be released when the journal is unlocked.
  var released: [KeptEffect?] = []

  /// Whether a write has failed.
  var hasFailed = false

  /// Whether a sync is due in a while.
  var isArmed = false

  /// Whether the last record says that this is a clean end.
  private var isEnded = false

  /// The types of effects that were reported because they have no name.
  private var unnamed: Set<ObjectIdentifier> = []
  private var reports: [Report] = []

  /// Begins after what was found in the files, or with none.
  init(
    _ directory: Directory, _ coding: Coding, isSynced: Bool, _ found: Found?,
    left: [EffectKey: KeptEffect], digest: @escaping (AnyState) throws(Unwritable) -> Digest?
  ) {
    self.directory = directory
    self.coding = coding
    self.isSynced = isSynced
    self.left = left
    self.digest = digest
    if let found {
      (log, logSize, stateSize) = (found.log, found.logSize, found.stateSize)
      (stateCommit, commit, durableCommit) = (
        found.recorded.start, found.recorded.commit, found.recorded.commit
      )
      (next, durable) = (found.next, found.next - 1)
    }
    #if DEBUG
      buffer.decoded = []
    #endif
  }

  /// Whether the commits since the last state are larger than it, and than a size.
  func isLogFull(_ size: Int) -> Bool { logSize + buffer.bytes.count > max(stateSize, size) }

  /// How many commits of the last ones' size fill half a log: with two states a log, the second ends
  /// it where the first did not find it full.
  func snapshotInterval(_ size: Int) -> Int {
    max(1, max(stateSize, size) / max(1, recent.bytes / recent.commits) / 2)
  }

  /// Whether something is not known to be on the disk.
  var isBehind: Bool { durable < next - 1 }

  var isFull: Bool { buffer.bytes.count >= 1 << 18 }
}

// MARK: - Records

extension Writer {
  /// Adds a commit to what is written next.
  ///
  /// - Parameters:
  ///   - item: the commit.
  ///   - state: gives what stands for it and the commits behind it, if the intent does not encode.
  /// - Throws: what keeps it from being written at all.
  func add(_ item: RecordedCommit, insteadOf state: () -> RecordedCommit?) throws {
    if item.number <= commit { return }
    for type in item.unnamed where unnamed.insert(ObjectIdentifier(type)).inserted {
      reports.append(
        (
          "effects of type \(type)",
          "have no name in the format, so the end of the process loses them; name them, or say "
            + "that this is meant: .atMostOnce(\(type).self)"
        ))
    }
    let subject = "intents of type \(type(of: item.intent))"
    if !coding.intents.contains(type(of: item.intent)) {
      reports.append(
        (subject, "have no name in the format; the state after each is recorded instead"))
      item.intent = UnrecordedIntent(commits: item.number...item.number)
      return try write(item)
    }
    do { try write(item) } catch let error as Unwritable where error.isIntent {
      reports.append(
        (subject, "are replaced by the state where they don't encode: \(error.reason)"))
      guard let state = state() else { throw error }
      try write(state)
    }
  }

  private func write(_ item: RecordedCommit) throws {
    if let state = item.state {
      item.digest = item.isForDigest ? try? digest(state) : try Digest.of(coded(state))
    }
    if let digest = item.digest { noteDepth(of: digest) }
    try add(.commit(item))
    recent.commits += 1
    commit = item.number
    for effect in item.effects { left[effect.key] = effect }
    for key in item.over { released.append(left.removeValue(forKey: key)) }
  }

  /// Adds effects that are over.
  func add(over keys: [EffectKey]) throws {
    let known = keys.filter { key in
      guard let effect = left.removeValue(forKey: key) else { return false }
      released.append(effect)
      return true
    }
    if !known.isEmpty { try add(.over(known)) }
  }

  private func add(_ content: Record.Content) throws {
    try buffer.write(Record(number: next, durable: durable, content: content), coding)
    next += 1
    isEnded = false
  }

  /// In debug builds, a state that is half as deep as one may be is reported.
  private func noteDepth(of digest: Digest) {
    #if DEBUG
      if digest.depth > Digest.deepestLevel / 2 {
        reports.append(
          (
            "the depth of the state",
            "is \(digest.depth) levels; the journal can't write one of more than "
              + "\(Digest.deepestLevel)"
          ))
      }
    #endif
  }

  /// What is to be reported once the journal is unlocked.
  func takeReports() -> [Report] {
    defer { (reports, buffer.reports) = ([], []) }
    return reports + buffer.reports
  }
}

// MARK: - Files

extension Writer {
  /// Writes what was added; if it holds commits, to the disk, where every commit is to be.
  func flush(syncing: Bool) throws {
    guard let log, !buffer.bytes.isEmpty || isBehind else { return }
    if !buffer.bytes.isEmpty {
      try log.write(buffer.bytes, at: logSize)
      logSize += buffer.bytes.count
      recent.bytes += buffer.bytes.count
      if recent.bytes > 1 << 20 { recent = (recent.bytes / 2, recent.commits / 2 + 1) }
      buffer.removeAll()
    }
    if (syncing || isSynced && commit > durableCommit) && isBehind {
      try log.sync()
      noteDurable(written)
    }
    try directory.checkPlace(of: log)
  }

  /// Begins a new file, when all of the old one is on the disk, with its first line.
  ///
  /// - Returns: the state before it, to be written.
  func beginLog(after state: AnyState) throws -> Record {
    try flush(syncing: true)
    let time = microsecondsNow()
    let effects = left.values.sorted { $0.key < $1.key }
    let record = Record(
      number: next, durable: durable,
      content: .state(state, after: commit, at: time, left: effects))
    log = try directory.open(FileName(next, "log").name, .making)
    logSize = 0
    try add(.log(after: commit, at: time, boot: directory.files.boot))
    try flush(syncing: true)
    try directory.syncNames()
    return record
  }

  /// What is with the kernel.
  var written: Progress { Progress(log: log, record: next - 1, commit: commit) }

  /// Notes that it is on the disk.
  func noteDurable(_ written: Progress) {
    durable = max(durable, written.record)
    durableCommit = max(durableCommit, written.commit)
  }

  /// Notes that a state was written.
  func noteState(after commit: Int, size: Int) {
    stateCommit = commit
    stateSize = size
  }

  /// Says that this is a clean end.
  func end() throws {
    try flush(syncing: true)
    if isEnded { return }
    try add(.closed(after: commit))
    isEnded = true
    try flush(syncing: true)
  }
}
