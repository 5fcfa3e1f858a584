internal import Glue

/// What writes a journal, under the journal's lock: it knows what is in the files and what of that
/// is on the disk.
///
/// `@unchecked Sendable` is sound because what varies does so under that lock alone.
final class Writer: @unchecked Sendable {
  private let directory: Directory
  private let coding: Coding
  private let isSynced: Bool
  private let digests: DigestPace

  private var log: File?

  /// The sizes of the log and of the newest state, in bytes, and the commit of that state.
  private var logSize: Int
  private var stateSize: Int
  private(set) var stateCommit: Int

  /// How much the last commits have taken; before there is any, what an intent may.
  private var recent = (bytes: 1 << 16, commits: 1 << 8)

  private var buffer = LineBuffer()

  /// The number of the next record.
  private var next: Int

  /// Up to which record all are known to be on the disk.
  private var durable: Int

  /// The last commit that was written, and the last one known to be on the disk.
  private(set) var commit: Int
  private(set) var durableCommit: Int

  /// The effects that must happen and are not over.
  private var left: [EffectKey: KeptEffect]

  /// Those that are over, to be released when the journal is unlocked.
  var released: [KeptEffect?] = []

  /// Whether a sync is due in a while.
  var isArmed = false

  /// Whether the last record says that this is a clean end.
  private var isEnded = false

  /// The types of effects that were reported because they have no name.
  private var unnamed: Set<ObjectIdentifier> = []

  /// What is to be reported once the journal is unlocked, once for each subject.
  private var reports: [(subject: String, text: String)] = []

  /// Begins after what was found in the files, or with none.
  init(
    _ directory: Directory, _ coding: Coding, isSynced: Bool, _ digests: DigestPace,
    _ found: Found?,
    left: [EffectKey: KeptEffect]
  ) {
    self.directory = directory
    self.coding = coding
    self.isSynced = isSynced
    self.digests = digests
    log = found?.log
    logSize = found?.logSize ?? 0
    stateSize = found?.stateSize ?? 0
    stateCommit = found?.stateCommit ?? 0
    next = found?.next ?? 1
    durable = next - 1
    commit = found?.recorded.commit ?? 0
    durableCommit = commit
    self.left = left
    #if DEBUG
      buffer.decoded = []
    #endif
  }

  /// Whether the commits since the last state are larger than it, and than a size.
  func isLogFull(_ size: Int) -> Bool {
    logSize + buffer.bytes.count > max(stateSize, size)
  }

  /// How many commits take as much room as a log that is full, at the last ones' size.
  func commitsPerLog(_ size: Int) -> Int {
    max(stateSize, size) / max(1, recent.bytes / recent.commits)
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
  ///   - newest: gives the newest state, and the commits up to it that follow this one, for the
  ///     case that the intent does not encode.
  /// - Throws: what keeps it from being written at all.
  func add(
    _ item: RecordedCommit, newest: () -> NewestState?
  ) throws {
    if item.number <= commit { return }
    for type in item.unnamed where unnamed.insert(ObjectIdentifier(type)).inserted {
      report(
        "effects of type \(type)",
        "have no name in the format, so the end of the process loses them; name them, or say that "
          + "this is meant: .atMostOnce(\(type).self)")
    }
    if !coding.intents.contains(type(of: item.intent)) {
      report(
        "intents of type \(type(of: item.intent))",
        "have no name in the format; the state after each is recorded instead")
      var item = item
      item.intent = UnrecordedIntent(commits: item.number...item.number)
      return try write(item)
    }
    do { try write(item) } catch let error as UnwritableIntent {
      report(
        "intents of type \(type(of: item.intent))",
        "are replaced by the state where they don't encode: \(error.reason)")
      guard let newest = newest() else { throw error }
      try write(newest.commit(insteadOf: item))
    }
  }

  private func write(_ item: RecordedCommit) throws {
    var digest = item.digest
    if let state = item.state {
      digest = item.isForDigest ? try? digests.make(of: state) : try Digest.of(state)
    }
    if let digest { noteDepth(of: digest) }
    try buffer.write(item, digest, number: next, durable: durable, coding)
    noteRecord()
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
    noteRecord()
  }

  private func noteRecord() {
    next += 1
    isEnded = false
  }

  /// In debug builds, a state that is half as deep as one may be is reported.
  private func noteDepth(of digest: Digest) {
    #if DEBUG
      if digest.depth > Digest.deepestLevel / 2 {
        report(
          "the depth of the state",
          "is \(digest.depth) levels; the journal can't write one of more than "
            + "\(Digest.deepestLevel)")
      }
    #endif
  }

  private func report(_ subject: String, _ text: String) {
    reports.append((subject, text))
  }

  /// What is to be reported once the journal is unlocked.
  func takeReports() -> [(subject: String, text: String)] {
    for (type, reason) in buffer.undecodable {
      report(
        "values of type \(type)",
        "don't decode from what they encode, so the journal can't be opened: \(reason)")
    }
    if !buffer.undecodable.isEmpty { buffer.undecodable = [] }
    if reports.isEmpty { return [] }
    defer { reports = [] }
    return reports
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
    log = try directory.open(Contents.name(next, "log"), .making)
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
