import Glue

/// The decoded content of a journal, from a state on.
struct Recorded: Sendable {
  /// The first state, the commit before it, and the effects left over at that point.
  let state: AnyState
  let start: Int
  let left: [KeptEffect]
  let digest: Digest?

  /// The digest that today's type gives the first state; nil if the recorded one can't be compared.
  let ownDigest: Digest?

  let records: [Record]

  /// The files that the records were read from.
  let paths: [String]
  let commit: Int
  let isOld: Bool

  /// Whether the state's type encodes the same properties as when the digests were made.
  var isComparable: Bool

  /// Whether the last record is that of an orderly end.
  var isClosed: Bool { if case .closed = records.last?.content { true } else { false } }
}

/// Decodes all records, those without a state on all processors.
///
/// States are decoded on the calling thread, because a deep one may need a larger stack than other
/// threads have.
func readRecords(_ examined: Examined, _ coding: Coding) throws -> Recorded {
  if let damage = examined.damage { throw damage }
  let decoded = examined.records.concurrentMap { record in
    record.members["state"] == nil ? Result { try coding.record(from: record) } : nil
  }
  var commit: Int?
  let records = try zip(examined.records, decoded).map { record, decoded in
    do {
      let result = try decoded?.get() ?? coding.record(from: record)
      guard let (first, last) = result.commits else { return result }
      if let commit, first != commit + 1 {
        throw CodingFailure("commit \(first) follows commit \(commit), so commits are missing")
      }
      commit = last
      return result
    } catch {
      throw JournalError(
        examined.sources[record.source].path, at: record.offset,
        record: record.members["n"]?.integer, reason(of: error))
    }
  }
  guard case .state(let state, let start, _, let left) = records.first?.content else {
    throw JournalError(
      examined.sources.first?.path ?? "", "there is no journal here, because there is no state")
  }
  let isOld = examined.records.contains { $0.version != coding.version }
  let digest = Digest(from: examined.records.first?.members["digest"])
  return Recorded(
    state: state, start: start, left: left, digest: digest,
    ownDigest: isOld || digest == nil ? nil : coding.digest(of: state), records: records,
    paths: examined.sources.map(\.path), commit: commit ?? start,
    isOld: isOld, isComparable: !isOld)
}

extension Coding {
  fileprivate func record(from record: Examined.Record) throws -> Record {
    let line = record.members
    guard let number = line["n"]?.integer, let durable = line["d"]?.integer else {
      throw CodingFailure("the record has no number")
    }
    return Record(
      number: number, durable: durable, content: try content(of: line, record.version),
      origin: (record.source, record.offset))
  }

  private func content(of line: JSONMembers, _ version: Int) throws -> Record.Content {
    if let number = line["commit"]?.integer { return .commit(try commit(number, line, version)) }
    if line["over"] != nil { return .over(try list("over", of: line, key)) }
    if let commit = line["closed"]?.integer { return .closed(after: commit) }
    let boot = line["boot"]?.text
    if let commit = line["opened"]?.integer, let boot { return .opened(after: commit, boot: boot) }
    guard let commit = line["log"]?.integer ?? line["state"]?.integer else {
      throw CodingFailure("this version does not know this kind of record")
    }
    let number = line["format"]?.integer
    guard number == formatNumber, line["version"]?.integer != nil else {
      throw CodingFailure(
        "the file has format \(number.map(String.init) ?? "unknown"), but this version reads "
          + "format \(formatNumber)")
    }
    let time = line["at"]?.integer ?? 0
    if line["log"] != nil { return .log(after: commit, at: time, boot: boot) }
    let state = try recordedState(line["value"], after: commit, version)
    return .state(state, after: commit, at: time, left: try list("effects", of: line, effect))
  }

  private func commit(
    _ number: Int, _ line: JSONMembers, _ version: Int
  ) throws -> RecordedCommit {
    let first = line["from"]?.integer ?? number
    guard let time = line["at"]?.integer, let cause = cause(from: line["cause"]), first <= number
    else {
      throw CodingFailure("commit \(number) has no valid time, cause or first commit")
    }
    let intent = try within("commit \(number)") { try line["intent"].map(intent(from:)) }
    let state = try line["state"].map { try recordedState($0, after: number, version) }
    if intent == nil && state == nil {
      throw CodingFailure("commit \(number) has neither an intent nor a state")
    }
    let commit = RecordedCommit(
      number: number, time: time, cause: cause,
      intent: intent ?? UnrecordedIntent(commits: first...number))
    commit.state = state
    if version == self.version { commit.digest = Digest(from: line["digest"]) }
    commit.effects = try list("effects", of: line, effect)
    commit.over = try list("over", of: line, key)
    return commit
  }

  private func recordedState(
    _ json: JSON?, after commit: Int, _ version: Int
  ) throws -> AnyState {
    try within("the state after commit \(commit)") {
      do { return try state(from: json, version: version) } catch {
        let cure = "; if the type has changed, the format needs a new version: and a migrate:"
        throw CodingFailure(reason(of: error) + (version == self.version ? cure : ""))
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

  private func list<Element>(
    _ name: String, of line: JSONMembers, _ read: (JSON) throws -> Element?
  ) throws -> [Element] {
    guard let json = line[name] else { return [] }
    let all = try json.elements?.compactMap(read)
    guard let all, all.count == json.elements?.count else {
      throw CodingFailure("\"\(name)\" is not a list of effects")
    }
    return all
  }
}

extension Recorded {
  /// The place of a record, worded as in a ``JournalError``.
  func place(of record: Record) -> String {
    "\(paths[record.origin.source]), byte \(record.origin.offset), record \(record.number)"
  }
}
