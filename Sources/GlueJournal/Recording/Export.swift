public import Glue
internal import GlueLogging

/// What is changed in an export, so that it can be given away.
///
///     try journal.export(
///       to: "\(directory)/bug-17",
///       redact: JournalRedaction(
///         state: { $0.titles = $0.titles.map { _ in "" } },
///         intent: { ($0 as? TodoIntent)?.withoutTexts ?? $0 }))
///
/// What is not covered is exported as it is. What stands for states, intents and effects has to
/// agree, or ``Recording/verify(reducer:)-(Reducer<State>)`` finds that it does not.
public struct JournalRedaction<State: Codable & Sendable>: Sendable {
  private let state: (@Sendable (inout State) -> Void)?
  private let intent: (@Sendable (any Intent) -> any Intent)?
  private let effect: (@Sendable (any Effect) -> any Effect)?
  private let id: (@Sendable (any Hashable & Sendable) -> any Hashable & Sendable)?

  /// Says what is changed; nothing unless something is given.
  ///
  /// - Parameters:
  ///   - state: changes the states.
  ///   - intent: gives what stands for an intent, of a type that has a name in the format.
  ///   - effect: gives what stands for an effect that must happen, of the same type; a scheduled one
  ///     keeps its policy and its id.
  ///   - id: gives what stands for the id of a scheduled effect that must happen, of the same type.
  ///     It also gets and gives a text for the id of each lasting effect that is the cause of a
  ///     commit, because the journal keeps a description of those.
  public init(
    state: (@Sendable (inout State) -> Void)? = nil,
    intent: (@Sendable (any Intent) -> any Intent)? = nil,
    effect: (@Sendable (any Effect) -> any Effect)? = nil,
    id: (@Sendable (any Hashable & Sendable) -> any Hashable & Sendable)? = nil
  ) {
    self.state = state
    self.intent = intent
    self.effect = effect
    self.id = id
  }

  var isEmpty: Bool { state == nil && intent == nil && effect == nil && id == nil }

  /// Whether a state may be added to what is exported: it tells what was in the intents.
  var coversStates: Bool { isEmpty || state != nil }

  func redacted(_ record: Record) -> Record {
    var record = record
    switch record.content {
    case .state(let value, let commit, let time, let left):
      record.content = .state(redacted(value), after: commit, at: time, left: left.map(redacted))
    case .commit(let commit):
      if let intent, !commit.isGap { commit.intent = intent(commit.intent) }
      commit.cause = redacted(commit.cause)
      commit.state = commit.state.map(redacted)
      commit.digest = nil
      commit.effects = commit.effects.map(redacted)
    case .log, .over, .opened, .closed: break
    }
    return record
  }

  private func redacted(_ recorded: AnyState) -> AnyState {
    guard let state else { return recorded }
    var value: State = typed(recorded)
    state(&value)
    return value
  }

  private func redacted(_ kept: KeptEffect) -> KeptEffect {
    var kept = kept
    if let scheduled = kept.effect as? ScheduledEffect {
      let id = id?(scheduled.id) ?? scheduled.id
      kept.effect = redacted(scheduled.effect).scheduled(scheduled.policy, id: id)
    } else {
      kept.effect = redacted(kept.effect)
    }
    return kept
  }

  private func redacted(_ kept: any Effect) -> any Effect { effect?(kept) ?? kept }

  private func redacted(_ cause: Cause) -> Cause {
    guard let id, case .lasting(let description, let commit) = cause else { return cause }
    return .lasting("\(id(description))", sinceCommit: commit)
  }
}

/// Writes all whole records of a journal, or of an export, into one file.
package func exportRecords(at path: String, to file: String) throws {
  let bytes = try wholeRecords(of: recordingSources(at: path), boot: SystemFiles().boot)
  try SystemFiles().replace(file, in: nil, by: bytes)
}

extension Directory {
  /// Writes all whole records into one file, with what stands for what was in them.
  ///
  /// A state after a commit is recorded with it, if that is there, and of its version.
  func export<State>(
    to file: String, _ redact: JournalRedaction<State>, _ coding: Coding,
    newest: (state: AnyState, commit: Int)?
  ) throws {
    // What does not encode is not needed so much that there would be no export.
    var state: LineBuffer?
    if let newest {
      var line = LineBuffer()
      state = (try? line.value(coded(newest.state), coding)).map { line }
    }
    var version: Int?
    let bytes = try wholeRecords(of: recordingSources(), boot: files.boot) { record, line in
      if record["log"] != nil { version = record["version"]?.integer }
      guard let state, version == coding.version, record["state"] == nil,
        record["commit"]?.integer == newest?.commit
      else { return }
      line.text(",\"state\":")
      line.json(state.bytes)
    }
    if redact.isEmpty { return try files.replace(file, in: nil, by: bytes) }
    let sources = [Source(path: path, bytes: bytes)]
    var lines = LineBuffer()
    for record in try readRecords(examine(sources, boot: nil), of: sources, coding).records {
      do { try lines.write(redact.redacted(record), coding, digests: false) } catch {
        throw JournalError(
          path, record: record.number,
          "what stands for something redacted does not encode: \(reason(of: error))")
      }
    }
    try files.replace(file, in: nil, by: lines.bytes)
  }
}

/// The records that are whole, as they are, each with what is added to it.
private func wholeRecords(
  of sources: [Source], boot: String?, _ add: (JSONMembers, inout LineBuffer) -> Void = { _, _ in }
) throws -> [UInt8] {
  let examined = examine(sources, boot: boot)
  if let damage = examined.damage { throw damage }
  var lines = LineBuffer()
  for record in examined.records {
    lines.line { line in
      line.json(record.members.bytes.dropLast())
      add(record.members, &line)
      line.text("}")
    }
  }
  return lines.bytes
}
