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

  /// Replays all; where the reducer gives another state than the one recorded, that one counts.
  ///
  /// - Parameters:
  ///   - records: what was recorded.
  ///   - reducer: the reducer as it is today.
  ///   - report: is told of such states.
  mutating func run(
    _ records: [Record], _ reducer: Reducer<State>, report: (String) -> Void
  ) {
    for record in records {
      if case .over(let keys) = record.content { end(keys) }
      guard let commit = record.commit else { continue }
      _ = run(commit, reducer)
      guard let recorded = commit.state, !commit.isGap else { continue }
      let diff = stateDiff(typed(recorded), state)
      state = typed(recorded)
      if diff.isEmpty { continue }
      report(
        "commit \(commit.number): the reducer gives another state than the one recorded, which is "
          + "used: \(diff)")
    }
  }
}

/// A state that a format of `State` has read.
func typed<State>(_ state: AnyState) -> State {
  guard let state = state as? State else {
    preconditionFailure("a format reads states of its own type alone, and not \(type(of: state))")
  }
  return state
}
