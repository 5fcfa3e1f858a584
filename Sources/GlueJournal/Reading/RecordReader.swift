internal import Dispatch
import Glue

/// What a journal holds from a state on.
struct Recorded: Sendable {
  /// The state that begins it, the commit that this is after, and the effects that were left then.
  let state: AnyState
  let start: Int
  let left: [KeptEffect]

  /// All, that state among them.
  let records: [Record]

  /// The last commit.
  let commit: Int

  /// Whether a part of it is of an older version.
  let isOld: Bool

  /// The digest that was recorded of that state, if one was.
  let digest: Digest?
}

/// Decodes all records.
func readRecords(
  _ examined: Examined, of sources: [Source], _ coding: Coding
) throws -> Recorded {
  if let damage = examined.damage { throw damage }
  let intents = intents(of: examined.records, coding)
  var reader = RecordReader(coding)
  let records = try zip(examined.records, intents).map { record, intent in
    do { return try reader.record(from: record.members, intent) } catch {
      throw JournalError(
        sources[record.source].path, at: record.offset, record: record.members["n"]?.integer,
        reason(of: error))
    }
  }
  guard case .state(let state, let start, _, let left) = records.first?.content else {
    throw JournalError(
      sources.first?.path ?? "", "there is no journal here: no state begins it")
  }
  return Recorded(
    state: state, start: start, left: left, records: records, commit: reader.commit ?? start,
    isOld: reader.isOld, digest: Digest(from: examined.records.first?.members["digest"]))
}

/// What an intent was decoded as; nil if there was none.
typealias DecodedIntent = Result<any Intent, any Error>?

/// Decodes the intents of records, which is most of the work, on all processors.
///
/// `nonisolated(unsafe)` is sound because each place is written once, by one thread, and read when
/// all have ended.
private func intents(of records: [Examined.Record], _ coding: Coding) -> [DecodedIntent] {
  var intents = [DecodedIntent](repeating: nil, count: records.count)
  intents.withUnsafeMutableBufferPointer { places in
    nonisolated(unsafe) let places = places
    let share = 256
    DispatchQueue.concurrentPerform(iterations: (records.count + share - 1) / share) { part in
      for index in part * share..<min(part * share + share, records.count) {
        guard let piece = records[index].members["intent"] else { continue }
        places[index] = Result { try coding.intent(from: piece) }
      }
    }
  }
  return intents
}

/// Decodes records one after the other.
struct RecordReader {
  private let coding: Coding
  private var version = 1

  /// The last commit; nil before the first record.
  private(set) var commit: Int?
  private(set) var isOld = false

  init(_ coding: Coding) { self.coding = coding }

  mutating func record(from line: JSONMembers, _ intent: DecodedIntent) throws -> Record {
    guard let number = line["n"]?.integer, let durable = line["d"]?.integer else {
      throw Unreadable("the record has no number")
    }
    return Record(number: number, durable: durable, content: try content(of: line, intent))
  }

  private mutating func content(of line: JSONMembers, _ intent: DecodedIntent) throws
    -> Record.Content
  {
    if let commit = line["commit"]?.integer {
      return .commit(try self.commit(commit, line, intent))
    }
    if let over = line["over"] { return .over(try keys(in: over)) }
    if let commit = line["closed"]?.integer { return .closed(after: commit) }
    if let commit = line["opened"]?.integer, let boot = line["boot"]?.text {
      return .opened(after: commit, boot: boot)
    }
    if let commit = line["state"]?.integer {
      let time = try head(line, after: commit)
      let left = try effects(in: line["effects"])
      return .state(try state(in: line["value"], commit), after: commit, at: time, left: left)
    }
    if let commit = line["log"]?.integer {
      return .log(after: commit, at: try head(line, after: commit), boot: line["boot"]?.text)
    }
    throw Unreadable("this program does not know this kind of record")
  }

  /// - Returns: when it was written.
  private mutating func head(_ line: JSONMembers, after commit: Int) throws -> Int {
    let number = line["format"]?.integer
    guard number == formatNumber, let version = line["version"]?.integer else {
      throw Unreadable(
        "the file is of format \(number.map(String.init) ?? "unknown"), and this program reads "
          + "format \(formatNumber)")
    }
    self.version = version
    if version != coding.version { isOld = true }
    if let last = self.commit, last != commit { throw missing(commit, after: last) }
    self.commit = commit
    return line["at"]?.integer ?? 0
  }

  private mutating func commit(
    _ number: Int, _ line: JSONMembers, _ intent: DecodedIntent
  ) throws -> RecordedCommit {
    let first = line["from"]?.integer ?? number
    guard let last = commit, first == last + 1, number >= first else {
      throw missing(first, after: commit ?? 0)
    }
    self.commit = number
    guard let time = line["at"]?.integer, let cause = cause(from: line["cause"]) else {
      throw Unreadable("commit \(number) has no time, or a cause that is none")
    }
    let intent = try within("commit \(number)") {
      try intent?.get()
    }
    let state = try line["state"].map { try self.state(in: $0, number) }
    if intent == nil && state == nil {
      throw Unreadable("commit \(number) has neither an intent nor a state")
    }
    let commit = RecordedCommit(
      number: number, time: time, cause: cause,
      intent: intent ?? UnrecordedIntent(commits: first...number))
    commit.state = state
    if version == coding.version { commit.digest = Digest(from: line["digest"]) }
    commit.effects = try effects(in: line["effects"])
    commit.over = try line["over"].map(keys) ?? []
    return commit
  }

  private func missing(_ commit: Int, after last: Int) -> Unreadable {
    Unreadable("commit \(commit) follows commit \(last), so others are missing")
  }

  private func state(in piece: JSONPiece?, _ commit: Int) throws -> AnyState {
    try within("the state after commit \(commit)") {
      do { return try coding.state(from: piece, version: version) } catch {
        let cure = "; a state of another form needs a new version: and migrate:"
        throw Unreadable(reason(of: error) + (version == coding.version ? cure : ""))
      }
    }
  }

  private func cause(from piece: JSONPiece?) -> Cause? {
    guard let piece else { return .outside }
    if let parts = piece.elements, parts.count == 3, let id = parts[1].text,
      let commit = parts[2].integer
    {
      return .lasting(id, sinceCommit: commit)
    }
    return key(from: piece).map { .effect($0.index, ofCommit: $0.commit) }
  }

  private func keys(in piece: JSONPiece) throws -> [EffectKey] {
    let keys = piece.elements?.map(key) ?? [nil]
    return try keys.map { key in
      guard let key else { throw Unreadable("\"over\" does not name effects") }
      return key
    }
  }

  private func effects(in piece: JSONPiece?) throws -> [KeptEffect] {
    guard let piece else { return [] }
    guard let pieces = piece.elements else { throw Unreadable("\"effects\" is no list") }
    return try pieces.map(coding.effect)
  }
}
