import Glue

/// Makes states of what was recorded, by running reducers and nothing else.
struct Replay<State: Codable & Sendable> {
  var state: State

  /// The effects that must happen and are not over.
  private(set) var left: [EffectKey: KeptEffect]

  init(of recorded: Recorded<State>) {
    state = recorded.state
    left = Dictionary(recorded.left.map { ($0.key, $0) }) { first, _ in first }
  }

  /// Replays a commit.
  ///
  /// - Returns: its effects; where its intent was not recorded, those that were.
  mutating func run(_ commit: RecordedCommit<State>, _ reducer: Reducer<State>) -> [any Effect] {
    for effect in commit.effects { left[effect.key] = effect }
    end(commit.over)
    if !commit.isGap { return reducer(&state, commit.intent) }
    if let recorded = commit.state { state = recorded }
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
    _ records: [Record<State>], _ reducer: Reducer<State>, report: (String) -> Void
  ) {
    for record in records {
      if case .over(let keys) = record.content { end(keys) }
      guard let commit = record.commit else { continue }
      _ = run(commit, reducer)
      guard let recorded = commit.state, !commit.isGap else { continue }
      let diff = stateDiff(recorded, state)
      state = recorded
      if diff.isEmpty { continue }
      report(
        "commit \(commit.number): the reducer gives another state than the one recorded, which is "
          + "used: \(diff)")
    }
  }
}
