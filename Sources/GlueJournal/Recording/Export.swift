public import Glue
internal import GlueDescribing

/// Changes an export's values, so that you can share it.
///
///     try journal.export(
///       to: "\(directory)/bug-17",
///       redact: JournalRedaction(
///         state: { $0.titles = $0.titles.map { _ in "" } },
///         intent: { ($0 as? TodoIntent)?.withoutTexts ?? $0 }))
///
/// Everything else is exported unchanged. Redacted states, intents and effects must agree with each
/// other; otherwise ``Recording/verify(reducer:)-(Reducer<State>)`` finds a difference.
public struct JournalRedaction<State: Codable & Sendable>: Sendable {
  private let state: (@Sendable (inout State) -> Void)?
  private let intent: (@Sendable (any Intent) -> any Intent)?
  private let effect: (@Sendable (any Effect) -> any Effect)?
  private let id: (@Sendable (any Hashable & Sendable) -> any Hashable & Sendable)?

  /// Makes a redaction, which by default changes nothing.
  ///
  /// - Parameters:
  ///   - state: changes a state.
  ///   - intent: returns the replacement of an intent. Its type must have a name in the format.
  ///   - effect: returns the replacement of an effect that must happen, of the same type. A
  ///     scheduled one keeps its policy and its id.
  ///   - id: returns the replacement of the id of a scheduled effect that must happen, of the same
  ///     type. If a lasting effect is the cause of a commit, it also gets that effect's id, as a
  ///     `String`, because the journal keeps a description of it.
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

  /// Whether the export may add a state, because an unredacted one could reveal redacted intents.
  var coversStates: Bool { isEmpty || state != nil }

  func redacted(_ record: Record) -> Record {
    var record = record
    if case .state(let value, let commit, let time, let left) = record.content {
      record.content = .state(redacted(value), after: commit, at: time, left: left.map(redacted))
    }
    guard let commit = record.commit else { return record }
    if let intent, commit.gap == nil { commit.intent = intent(commit.intent) }
    if let id, case .lasting(let description, let since) = commit.cause {
      commit.cause = .lasting("\(id(description))", sinceCommit: since)
    }
    commit.state = commit.state.map(redacted)
    commit.digest = nil
    commit.effects = commit.effects.map(redacted)
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
    let (own, path) = ownEffect(kept.effect)
    let scheduled = own as? ScheduledEffect
    let inner = scheduled?.effect ?? own
    kept.effect = effect?(inner) ?? inner
    if let scheduled {
      let id = id?(scheduled.id) ?? scheduled.id
      kept.effect = kept.effect.scheduled(scheduled.policy, id: id)
    }
    kept.effect = kept.effect.inside(path: path)
    return kept
  }
}

/// Writes all whole records of a journal or an export into one file.
package func exportRecords(at path: String, to file: String) throws {
  let bytes = try examine(recordingSources(at: path)).exported()
  try systemFiles.replace(file, in: nil, by: bytes)
}

extension Directory {
  /// Writes all whole records, redacted, into one file.
  func export<State>(
    to file: String, _ redact: JournalRedaction<State>, _ coding: Coding,
    newest: (state: AnyState, commit: Int)?
  ) throws {
    var examined = examine(try recordingSources(), boot: files.boot)
    if let newest { examined.add(newest.state, after: newest.commit, coding) }
    if redact.isEmpty { return try files.replace(file, in: nil, by: examined.exported()) }
    var lines = LineBuffer()
    for record in try readRecords(examined, coding).records {
      do { try lines.write(redact.redacted(record), coding, digests: false) } catch {
        throw JournalError(
          path, record: record.number,
          "a redacted value does not encode: \(reason(of: error))")
      }
    }
    try files.replace(file, in: nil, by: lines.bytes)
  }
}

extension Examined {
  func exported() throws -> [UInt8] {
    if let flaw { throw flaw }
    var buffer = LineBuffer()
    for record in records { buffer.line { $0.json(record.members.bytes) } }
    return buffer.bytes
  }

  /// Adds a state to the record of its commit, if that record exists and has none.
  ///
  /// A state that doesn't encode is left out, because the export is useful without it.
  fileprivate mutating func add(_ state: AnyState, after commit: Int, _ coding: Coding) {
    guard let index = records.lastIndex(where: { $0.members["commit"]?.integer == commit }),
      records[index].version == coding.version, records[index].members["state"] == nil,
      let json = try? coding.encode(coded(state))
    else { return }
    let bytes = records[index].members.bytes.dropLast() + #","state":"#.utf8 + json + "}".utf8
    if let members = JSON(bytes).members { records[index].members = members }
  }
}
