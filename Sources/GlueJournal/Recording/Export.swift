public import Glue

/// What is changed in an export, so that it can be given away.
///
///     try journal.export(
///       to: "\(directory)/bug-17",
///       redact: JournalRedaction(intent: { ($0 as? TodoIntent)?.withoutTexts ?? $0 }))
///
/// What is not covered is exported as it is.
public struct JournalRedaction<State: Sendable>: Sendable {
  let state: (@Sendable (inout State) -> Void)?
  let intent: (@Sendable (any Intent) -> any Intent)?
  let effect: (@Sendable (any Effect) -> any Effect)?

  var isEmpty: Bool { state == nil && intent == nil && effect == nil }

  /// Says what is changed; nothing unless something is given.
  ///
  /// - Parameters:
  ///   - state: changes the states.
  ///   - intent: gives what stands for an intent, of a type that has a name in the format.
  ///   - effect: gives what stands for an effect that must happen, of the same type.
  public init(
    state: (@Sendable (inout State) -> Void)? = nil,
    intent: (@Sendable (any Intent) -> any Intent)? = nil,
    effect: (@Sendable (any Effect) -> any Effect)? = nil
  ) {
    self.state = state
    self.intent = intent
    self.effect = effect
  }
}

extension Journal {
  /// Writes all that is recorded so far into one file, which ``Recording`` reads.
  ///
  /// - Parameters:
  ///   - path: the file, which is made for its owner alone or replaced.
  ///   - redact: what is changed in it.
  /// - Throws: ``JournalError`` if it cannot be read or written, or what stands for something does
  ///   not encode.
  /// - Complexity: O(*n*) in the size of the journal, in time and memory.
  public func export(to path: String, redact: JournalRedaction<State> = .init()) throws {
    do {
      let sources = try directory.recordingSources()
      let bytes = redact.isEmpty ? try joined(sources) : try redacted(sources, redact)
      try Directory(path: ".", files: directory.files).replace(path, by: bytes)
    } catch let error as FileError { throw JournalError(error, in: path) }
  }

  private func redacted(
    _ sources: [Source], _ redact: JournalRedaction<State>
  ) throws -> [UInt8] {
    let examined = try examine(sources)
    var reader = EventReader(format)
    try reader.read(examined, of: sources)
    var redactor = Redactor(format: format, redact: redact)
    for (record, event) in zip(examined.records, reader.recorded.events) {
      do {
        try redactor.add(event, record.members, reader.recorded.left)
      } catch {
        throw JournalError(
          directory.path, record: record.members["n"]?.integer,
          "what stands for something redacted does not encode: \(error)")
      }
    }
    return redactor.lines.bytes
  }
}

/// All whole records of sources.
func joined(_ sources: [Source]) throws(JournalError) -> [UInt8] {
  let examined = try examine(sources)
  return sources.dropLast().flatMap(\.bytes) + (sources.last?.bytes.prefix(examined.end) ?? [])
}

extension Directory {
  /// Writes a file anywhere, such that either all of it is there under its name or what was before.
  func replace(_ path: String, by bytes: [UInt8]) throws(FileError) {
    let file = try files.uninterrupted { () throws(FileError) in
      try files.open(path + ".new", .making)
    }
    defer { files.close(file) }
    try files.writeAll(bytes, to: file, at: 0)
    try files.syncAll(file)
    try files.rename(path + ".new", to: path)
  }
}

/// Writes records anew, with what stands for what was in them.
private struct Redactor<State: Codable & Sendable> {
  let format: JournalFormat<State>
  let redact: JournalRedaction<State>
  var lines = LineBuffer()

  mutating func add(_ event: Event<State>, _ old: JSONMembers, _ left: [ReadEffect]) throws {
    let number = old["n"]?.integer ?? 0
    let durable = old["d"]?.integer ?? 0
    switch event {
    case .boundary:
      if let commit = old["closed"]?.integer { lines.closed(number, after: commit) }
      if let commit = old["log"]?.integer {
        lines.log(
          number, after: commit, version: format.version, at: old["at"]?.integer ?? 0)
      }
    case .over(let keys): lines.mark(number, durable, over: keys)
    case .state(let state, let commit):
      lines.state(
        try json(state), after: commit, durable: durable, version: format.version,
        at: old["at"]?.integer ?? 0,
        left: try old["effects"]?.elements.map { try $0.map { try self.json($0) } } ?? [])
    case .commit(let commit):
      var item = CommitItem<State>(
        number: commit.number, time: commit.time, cause: commit.cause,
        intent: commit.intent.map { redact.intent?($0) ?? $0 } ?? commit.gap,
        isNamed: commit.intent != nil, effects: [], state: commit.state, over: commit.over)
      item.firstLost = commit.firstLost
      let state = try commit.state.map(json)
      try lines.commit(
        number, durable, item, state, effects: try commit.effects.map(json), format.coding)
    }
  }

  private func json(_ state: State) throws -> [UInt8] {
    var state = state
    redact.state?(&state)
    return try Array(format.coding.encode(state))
  }

  private func json(_ piece: JSONPiece) throws -> [UInt8] {
    try json(format.coding.effect(from: piece))
  }

  private func json(_ read: ReadEffect) throws -> [UInt8] {
    let scheduled = read.effect as? ScheduledEffect
    let inner = scheduled?.effect ?? read.effect
    let new = redact.effect?(inner) ?? inner
    let effect = scheduled.map { new.scheduled($0.policy, id: $0.id) as any Effect } ?? new
    guard let json = try format.coding.json(of: effect, read.key, at: read.time) else {
      throw Unnamed()
    }
    return json
  }
}
