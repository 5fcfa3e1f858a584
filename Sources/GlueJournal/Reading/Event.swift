import Glue

/// What a journal says, decoded.
enum Event<State: Codable & Sendable>: Sendable {
  /// A state, of a file of its own.
  case state(State, after: Int)
  case commit(ReadCommit<State>)

  /// Effects that are over.
  case over([EffectKey])

  /// A log begins, or a process has ended as it should.
  case boundary
}

/// A commit as it was recorded.
struct ReadCommit<State: Codable & Sendable>: Sendable {
  let number: Int

  /// The first one of those whose intents were not recorded; nil if this one's was.
  var firstLost: Int?

  /// When it was made, in microseconds since 1970.
  let time: Int
  let cause: Cause
  let intent: (any Intent)?

  /// The state after it, where that was recorded.
  let state: State?
  let effects: [ReadEffect]
  let over: [EffectKey]
}

/// An effect that must happen, as it was recorded.
struct ReadEffect: Sendable {
  let key: EffectKey

  /// When it was emitted, in microseconds since 1970.
  let time: Int
  let effect: any Effect

  /// As it stands in the file.
  let json: [UInt8]
}

/// What a journal holds from a state on.
struct Recorded<State: Codable & Sendable>: Sendable {
  var events: [Event<State>] = []

  /// The effects that had been emitted before and were left.
  var left: [ReadEffect] = []

  /// The last commit.
  var commit = 0

  /// Whether a part of it is of an older version.
  var isOld = false
}

/// Decodes records.
struct EventReader<State: Codable & Sendable> {
  let format: JournalFormat<State>
  private(set) var recorded = Recorded<State>()
  private var version = 1

  init(_ format: JournalFormat<State>) { self.format = format }

  mutating func read(_ examined: Examined, of sources: [Source]) throws(JournalError) {
    recorded.events.reserveCapacity(examined.records.count)
    for record in examined.records {
      do {
        try read(record.members)
      } catch {
        let reason = (error as? Undecodable)?.reason ?? "\(error)"
        throw JournalError(
          sources[record.source].path, at: record.offset, record: record.members["n"]?.integer,
          reason)
      }
    }
  }

  private mutating func read(_ line: JSONMembers) throws {
    if let commit = line["commit"]?.integer {
      try read(line, commit: commit)
    } else if let over = line["over"] {
      recorded.events.append(.over(try keys(in: over)))
    } else if let commit = line["state"]?.integer {
      try readState(line, after: commit)
    } else if let commit = line["log"]?.integer {
      try readHeader(line)
      if !recorded.events.isEmpty { try expect(commit, from: commit + 1) }
      recorded.events.append(.boundary)
    } else if line["closed"] != nil {
      recorded.events.append(.boundary)
    } else {
      throw Undecodable(reason: "this program does not know this kind of record")
    }
  }

  private mutating func readHeader(_ line: JSONMembers) throws {
    let format = line["format"]?.integer
    if format != formatNumber {
      throw Undecodable(
        reason: "the file is of format \(format.map(String.init) ?? "unknown"), and this program "
          + "reads format \(formatNumber)")
    }
    version = line["version"]?.integer ?? 1
    if version != self.format.version { recorded.isOld = true }
  }

  private mutating func readState(_ line: JSONMembers, after commit: Int) throws {
    try readHeader(line)
    if recorded.events.isEmpty {
      recorded.left = try effects(in: line["effects"])
      recorded.commit = commit
    } else {
      try expect(commit, from: commit + 1)
    }
    recorded.events.append(.state(try decodedState(in: line["value"], commit), after: commit))
  }

  private mutating func read(_ line: JSONMembers, commit: Int) throws {
    let first = line["from"]?.integer
    try expect(commit, from: first ?? commit)
    guard let time = line["at"]?.integer, let cause = cause(from: line["cause"]) else {
      throw Undecodable(reason: "commit \(commit) has no time, or a cause that is none")
    }
    var intent: (any Intent)?
    if let piece = line["intent"] {
      do { intent = try format.coding.intent(from: piece) } catch let error as Undecodable {
        throw Undecodable(reason: "commit \(commit), \(error.reason)")
      }
    }
    let state = try line["state"].map { try decodedState(in: $0, commit) }
    if intent == nil && state == nil {
      throw Undecodable(reason: "commit \(commit) has neither an intent nor a state")
    }
    let read = ReadCommit(
      number: commit, firstLost: intent == nil ? first ?? commit : nil, time: time, cause: cause,
      intent: intent, state: state, effects: try effects(in: line["effects"]),
      over: try line["over"].map(keys) ?? [])
    recorded.events.append(.commit(read))
  }

  /// Sees to it that no commit is missing.
  private mutating func expect(_ commit: Int, from first: Int) throws {
    if first != recorded.commit + 1 || commit < first - 1 {
      throw Undecodable(
        reason: "commit \(first) follows commit \(recorded.commit), so others are missing")
    }
    recorded.commit = commit
  }

  private func decodedState(in piece: JSONPiece?, _ commit: Int) throws -> State {
    do { return try format.state(from: piece, version: version) } catch let error as Undecodable {
      throw Undecodable(reason: "the state after commit \(commit): \(error.reason)")
    }
  }

  private func keys(in piece: JSONPiece) throws -> [EffectKey] {
    guard let pieces = piece.elements else { throw Undecodable(reason: "\"over\" is no list") }
    return try pieces.map { piece in
      guard let key = key(from: piece) else {
        throw Undecodable(reason: "\"over\" does not name effects")
      }
      return key
    }
  }

  private func effects(in piece: JSONPiece?) throws -> [ReadEffect] {
    guard let piece else { return [] }
    guard let pieces = piece.elements else { throw Undecodable(reason: "\"effects\" is no list") }
    return try pieces.map { piece in try format.coding.effect(from: piece) }
  }
}
