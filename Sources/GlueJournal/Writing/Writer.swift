import Glue

/// What writes a journal, under the journal's lock: it knows what is in the files and what of that
/// is on the disk.
struct Writer<State: Codable & Sendable> {
  let directory: Directory
  let format: JournalFormat<State>
  let isSynced: Bool

  private(set) var log: LogFile
  private var buffer = LineBuffer()

  /// The number of the next record.
  private(set) var next: Int

  /// Up to which record all are known to be on the disk.
  private(set) var durable: Int

  /// The last commit that was written, and the last one known to be on the disk.
  private(set) var commit: Int
  private(set) var durableCommit: Int

  /// The effects that must happen and are not over, as they are written.
  private(set) var left: [EffectKey: [UInt8]]

  /// What is to be told of, once a type.
  private var reported: Set<String> = []
  var reports: [String] = []

  /// Begins after what is in the files.
  init(
    _ directory: Directory, _ format: JournalFormat<State>, isSynced: Bool, log: LogFile,
    next: Int, commit: Int, left: [EffectKey: [UInt8]]
  ) {
    self.directory = directory
    self.format = format
    self.isSynced = isSynced
    self.log = log
    self.next = next
    durable = next - 1
    self.commit = commit
    durableCommit = commit
    self.left = left
  }

  /// Adds a commit to what is written next.
  ///
  /// - Parameters:
  ///   - item: the commit.
  ///   - newest: gives the newest state, and the commits up to it that follow this one, for the
  ///     case that the intent does not encode.
  /// - Throws: what keeps it from being written at all.
  mutating func add(_ item: CommitItem<State>, newest: () -> NewestState<State>?) throws {
    if item.number <= commit { return }
    if !item.isNamed { report(unnamed: item.intent) }
    do {
      try write(item, with: item.state, effects: effects(of: [item]))
    } catch let error as UnwritableIntent {
      report("an intent of type \(type(of: item.intent)) does not encode: \(error.reason)")
      guard let newest = newest() else { throw error }
      try write(newest.state, after: newest.commit, insteadOf: item, newest.behind)
    }
  }

  /// Adds effects that are over.
  mutating func add(over keys: [EffectKey]) {
    let known = keys.filter { left.removeValue(forKey: $0) != nil }
    if known.isEmpty { return }
    buffer.mark(next, durable, over: known)
    next += 1
  }

  var isFull: Bool { buffer.bytes.count >= 1 << 18 }

  private mutating func write(
    _ item: CommitItem<State>, with state: State?, effects: [EffectKey: [UInt8]]
  ) throws {
    let json = try state.map(encoded)
    try buffer.commit(
      next, durable, item, json, effects: effects.sorted { $0.key < $1.key }.map(\.value),
      format.coding)
    next += 1
    commit = item.number
    left.merge(effects) { $1 }
    for key in item.over { left[key] = nil }
  }

  /// Writes the newest state, which stands for all commits up to it.
  private mutating func write(
    _ state: State, after commit: Int, insteadOf item: CommitItem<State>,
    _ others: [CommitItem<State>]
  ) throws {
    let lost = [item] + others.filter { $0.number > item.number && $0.number <= commit }
    var all = item
    all.firstLost = item.number
    all.number = commit
    all.over = lost.flatMap(\.over)
    try write(all, with: state, effects: effects(of: lost))
  }

  private func effects(of items: [CommitItem<State>]) throws -> [EffectKey: [UInt8]] {
    var all: [EffectKey: [UInt8]] = [:]
    for item in items {
      for (index, effect) in item.effects.enumerated() {
        let key = EffectKey(commit: item.number, index: index)
        all[key] = try format.coding.json(of: effect, key, at: item.time)
      }
    }
    return all
  }

  func encoded(_ state: State) throws -> [UInt8] { try Array(format.coding.encode(state)) }

  private mutating func report(unnamed intent: any Intent) {
    report(
      "intents of type \(type(of: intent)) have no name in the format; the state after each is "
        + "recorded instead")
  }

  private mutating func report(_ text: String) {
    if reported.insert(text).inserted { reports.append(text) }
  }
}

// MARK: - Files

extension Writer {
  /// Writes what was added; if it holds commits, to the disk, where every commit is to be.
  mutating func flush(syncing: Bool) throws {
    if !buffer.bytes.isEmpty {
      try directory.files.writeAll(buffer.bytes, to: log.file, at: log.size)
      log.size += buffer.bytes.count
      buffer.removeAll()
    }
    if syncing || isSynced && commit > durableCommit { try sync() }
  }

  /// Whether something is not known to be on the disk.
  var isBehind: Bool { durable < next - 1 }

  mutating func sync() throws {
    if !isBehind { return }
    try directory.files.syncAll(log.file)
    noteSynced(up: next - 1, commit)
  }

  /// Notes that all is on the disk up to a record and a commit.
  mutating func noteSynced(up record: Int, _ commit: Int) {
    durable = max(durable, record)
    durableCommit = max(durableCommit, commit)
  }

  /// Begins a new file, when all of the old one is on the disk; does nothing if no commit is in
  /// the old one.
  mutating func beginLog() throws {
    try flush(syncing: true)
    if log.commit == commit { return }
    log = try LogFile(in: directory, after: commit, beginningWith: next, version: format.version)
    durable = next
    next += 1
  }

  /// Begins the file anew, in the version of today, if no commit is in it.
  mutating func renewLog() throws {
    if log.commit != commit { return try beginLog() }
    log = try LogFile(
      in: directory, after: commit, beginningWith: log.firstRecord, version: format.version)
    next = log.firstRecord + 1
    durable = next - 1
  }

  /// Says that this is a clean end.
  mutating func end() throws {
    try flush(syncing: true)
    buffer.closed(next, after: commit)
    next += 1
    try flush(syncing: true)
  }
}

/// The newest state, and commits that it includes.
struct NewestState<State: Codable & Sendable> {
  let state: State
  let commit: Int
  let behind: [CommitItem<State>]
}

/// An intent did not encode.
struct UnwritableIntent: Error {
  let reason: String
}
