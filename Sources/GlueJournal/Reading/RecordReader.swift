import Glue

/// What a journal holds from a state on.
struct Recorded: Sendable {
  /// The state that begins it, the commit that this is after, and the effects that were left then.
  let state: AnyState
  let start: Int
  let left: [KeptEffect]
  let records: [Record]

  /// The files that the records were read from.
  let paths: [String]
  let commit: Int
  let isOld: Bool
  let digest: Digest?
}

/// Decodes all records: the intents, which are most of the work, on all processors.
func readRecords(
  _ examined: Examined, of sources: [Source], _ coding: Coding
) throws -> Recorded {
  if let damage = examined.damage { throw damage }
  let intents = examined.records.concurrentMap { record in
    record.members["intent"].map { json in Result { try coding.intent(from: json) } }
  }
  var reader = RecordReader(coding: coding)
  let records = try zip(examined.records, intents).map { record, intent in
    do {
      var own = try reader.record(from: record.members, intent)
      own.origin = (record.source, record.offset)
      return own
    } catch {
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
    state: state, start: start, left: left, records: records, paths: sources.map(\.path),
    commit: reader.commit ?? start,
    isOld: reader.isOld, digest: Digest(from: examined.records.first?.members["digest"]))
}

private struct RecordReader {
  let coding: Coding
  private var version = 1
  private(set) var commit: Int?
  private(set) var isOld = false

  init(coding: Coding) { self.coding = coding }

  mutating func record(
    from line: JSONMembers, _ intent: Result<any Intent, any Error>?
  ) throws -> Record {
    guard let number = line["n"]?.integer, let durable = line["d"]?.integer else {
      throw Unreadable("the record has no number")
    }
    return Record(number: number, durable: durable, content: try content(of: line, intent))
  }

  private mutating func content(
    of line: JSONMembers, _ intent: Result<any Intent, any Error>?
  ) throws -> Record.Content {
    if let number = line["commit"]?.integer { return .commit(try commit(number, line, intent)) }
    if let over = line["over"] { return .over(try keys(in: over)) }
    if let commit = line["closed"]?.integer { return .closed(after: commit) }
    let boot = line["boot"]?.text
    if let commit = line["opened"]?.integer, let boot { return .opened(after: commit, boot: boot) }
    if let commit = line["log"]?.integer {
      return .log(after: commit, at: try head(line, after: commit), boot: boot)
    }
    guard let commit = line["state"]?.integer else {
      throw Unreadable("this program does not know this kind of record")
    }
    let time = try head(line, after: commit)
    let left = try effects(in: line["effects"])
    return .state(try state(in: line["value"], commit), after: commit, at: time, left: left)
  }

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
    _ number: Int, _ line: JSONMembers, _ intent: Result<any Intent, any Error>?
  ) throws -> RecordedCommit {
    let first = line["from"]?.integer ?? number
    guard let last = commit, first == last + 1, number >= first else {
      throw missing(first, after: commit ?? 0)
    }
    self.commit = number
    guard let time = line["at"]?.integer, let cause = cause(from: line["cause"]) else {
      throw Unreadable("commit \(number) has no time, or a cause that is none")
    }
    let intent = try within("commit \(number)") { try intent?.get() }
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

  private func state(in json: JSON?, _ commit: Int) throws -> AnyState {
    try within("the state after commit \(commit)") {
      do { return try coding.state(from: json, version: version) } catch {
        let cure = "; a state of another form needs a new version: and migrate:"
        throw Unreadable(reason(of: error) + (version == coding.version ? cure : ""))
      }
    }
  }

  private func cause(from json: JSON?) -> Cause? {
    guard let json else { return .outside }
    if let parts = json.elements, parts.count == 3, let id = parts[1].text,
      let commit = parts[2].integer
    {
      return .lasting(id, sinceCommit: commit)
    }
    return key(from: json).map { .effect($0.index, ofCommit: $0.commit) }
  }

  private func keys(in json: JSON) throws -> [EffectKey] {
    let keys = json.elements?.compactMap(key)
    guard let keys, keys.count == json.elements?.count else {
      throw Unreadable("\"over\" does not name effects")
    }
    return keys
  }

  private func effects(in json: JSON?) throws -> [KeptEffect] {
    guard let json else { return [] }
    guard let elements = json.elements else { throw Unreadable("\"effects\" is no list") }
    return try elements.map(coding.effect)
  }
}

extension Recorded {
  /// Where a record is, as a ``JournalError`` tells it.
  func place(of record: Record) -> String {
    "\(paths[record.origin.source]), byte \(record.origin.offset), record \(record.number)"
  }
}
