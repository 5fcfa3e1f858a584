import Glue

/// Makes states of what was recorded, by running reducers and nothing else.
struct Replay<State: Codable & Sendable> {
  private let recorded: Recorded<State>
  private(set) var state: State

  /// The effects that must happen and are not over.
  private(set) var left: [EffectKey: ReadEffect]

  init(of recorded: Recorded<State>) {
    self.recorded = recorded
    guard case .state(let state, _) = recorded.events.first else {
      fatalError("what was read begins with a state")
    }
    self.state = state
    left = Dictionary(uniqueKeysWithValues: recorded.left.map { ($0.key, $0) })
  }

  /// Replays all.
  ///
  /// - Parameters:
  ///   - reducer: what is run.
  ///   - report: is told where it gives another state than the one recorded, which is the one that
  ///     counts.
  mutating func run(_ reducer: Reducer<State>, report: (String) -> Void) {
    for event in recorded.events.dropFirst() {
      switch event {
      case .state, .boundary: break
      case .over(let keys): for key in keys { left[key] = nil }
      case .commit(let commit): run(commit, reducer, report)
      }
    }
  }

  private mutating func run(
    _ commit: ReadCommit<State>, _ reducer: Reducer<State>, _ report: (String) -> Void
  ) {
    if let intent = commit.intent { _ = reducer(&state, intent) }
    if let recorded = commit.state {
      if commit.intent != nil {
        let diff = stateDiff(recorded, state)
        if !diff.isEmpty {
          report(
            "commit \(commit.number): the reducer gives another state than the one recorded, "
              + "which is used: \(diff)")
        }
      }
      state = recorded
    }
    for effect in commit.effects { left[effect.key] = effect }
    for key in commit.over { left[key] = nil }
  }
}
