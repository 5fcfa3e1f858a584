import Glue

/// Makes states of what was recorded, by running reducers and nothing else.
struct Replay<State: Codable & Sendable> {
  var state: State

  /// The effects that must happen and are not over.
  private(set) var left: [EffectKey: KeptEffect]

  init(of recorded: Recorded) {
    state = typed(recorded.state)
    left = Dictionary(recorded.left.map { ($0.key, $0) }) { first, _ in first }
  }

  /// Replays a commit.
  ///
  /// - Returns: its effects; where its intent was not recorded, those that were.
  mutating func run(_ commit: RecordedCommit, _ reducer: Reducer<State>) -> [any Effect] {
    for effect in commit.effects { left[effect.key] = effect }
    end(commit.over)
    if !commit.isGap { return reducer(&state, commit.intent) }
    if let recorded = commit.state { state = typed(recorded) }
    return commit.effects.map(\.effect)
  }

  mutating func end(_ keys: [EffectKey]) {
    for key in keys { left[key] = nil }
  }

  /// Replays all; where the reducer gives other effects or another state than those recorded, these
  /// count.
  ///
  /// - Parameters:
  ///   - records: what was recorded.
  ///   - coding: which effects must happen.
  ///   - reducer: the reducer as it is today.
  /// - Returns: the first such difference, in words; nil if there is none.
  mutating func run(_ records: [Record], _ coding: Coding, _ reducer: Reducer<State>) -> String? {
    var first: String?
    for record in records {
      if case .over(let keys) = record.content { end(keys) }
      guard let commit = record.commit else { continue }
      let effects = run(commit, reducer)
      if first == nil,
        let difference = coding.difference(commit, effects)
          ?? difference(from: commit.state, after: commit, coding)
      {
        first =
          "commit \(commit.number): the reducer goes another way than what was recorded, which "
          + "counts: \(difference)"
      }
      if let recorded = commit.state { state = typed(recorded) }
    }
    return first
  }

  /// How the state after a commit differs from one that was recorded, if one was; nil if it does
  /// not.
  func difference(
    from recorded: AnyState?, after commit: RecordedCommit, _ coding: Coding
  ) -> String? {
    guard let recorded, !commit.isGap else { return nil }
    let diff = stateDiff(typed(recorded) as State, state)
    if diff.isEmpty { return nil }
    // What an encoding leaves out is no difference.
    guard let encodable = try? coding.recoded(state) else { return "\(diff)" }
    let rest = stateDiff(typed(recorded) as State, typed(encodable) as State)
    return rest.isEmpty ? nil : "\(rest)"
  }
}

extension Coding {
  /// A state as it would be read.
  func recoded(_ state: AnyState) throws -> AnyState {
    var line = LineBuffer()
    try line.value(state, self)
    return try self.state(from: JSONPiece(line.bytes[...]), version: version)
  }

  /// How the effects of a commit that must happen differ from those recorded; nil if they do not.
  func difference(_ commit: RecordedCommit, _ effects: [any Effect]) -> String? {
    if commit.isGap || self.effects.isEmpty { return nil }
    var recorded = Dictionary(commit.effects.map { ($0.key.index, $0) }) { $1 }
    var replayed: [Int: KeptEffect] = [:]
    for (index, effect) in effects.enumerated() where name(of: effect) != nil {
      let key = EffectKey(commit: commit.number, index: index)
      let effect = KeptEffect(key: key, time: commit.time, effect: effect)
      let bytes = written(effect)
      // Most are written alike; others may yet be the same as they would be read, such as sets in
      // another order.
      if let bytes, bytes == recorded[index].flatMap(written) {
        recorded[index] = nil
      } else {
        replayed[index] = bytes.flatMap { try? self.effect(from: JSONPiece($0[...])) } ?? effect
      }
    }
    if recorded.isEmpty && replayed.isEmpty { return nil }
    let diff = stateDiff(recorded.mapValues(\.effect), replayed.mapValues(\.effect))
    return diff.isEmpty ? nil : "effects that must happen: \(diff)"
  }

  private func written(_ effect: KeptEffect) -> [UInt8]? {
    var line = LineBuffer()
    return (try? write(effect, to: &line)).map { line.bytes }
  }
}

/// A state that a format of `State` has read.
func typed<State>(_ state: AnyState) -> State {
  guard let state = state as? State else {
    preconditionFailure("a format reads states of its own type alone, and not \(type(of: state))")
  }
  return state
}
