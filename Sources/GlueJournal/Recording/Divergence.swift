public import Glue

/// Where a reducer goes another way than what was recorded.
public struct Divergence: CustomStringConvertible, Sendable {
  /// The first commit at which that is seen.
  public let number: Int

  /// What was reduced there.
  public let intent: any Intent

  /// What the intent came from.
  public let cause: Cause

  /// The last commit up to which the recorded states and the replayed ones are the same: it arose
  /// after it.
  public let lastEqual: Int

  /// What differs: recorded → replayed, a line each.
  public let difference: String

  /// The commit, its intent, and what differs.
  public var description: String {
    let arisen =
      lastEqual + 1 == number
      ? "" : " (it arose in one of the commits \(lastEqual + 1)...\(number))"
    return """
      commit #\(number) \(shortDescription(of: intent, limit: 200)), \(cause.words): the reducer \
      goes another way than what was recorded\(arisen)
      \(difference)
      """
  }
}

extension Recording {
  /// Replays all and compares it with the states and the effects that were recorded.
  ///
  ///     #expect(try Recording(at: directory, format).verify(reducer: todos) == nil)
  ///
  /// States are compared part by part, sets and dictionaries in any order. Between two recorded
  /// states it is not known which commit it was: ``Snapshots/every(_:)`` with 1 records one with
  /// each.
  ///
  /// - Parameter reducer: the reducer as it is today.
  /// - Returns: the first difference; nil if there is none.
  /// - Throws: nothing today, for all is read when the recording is opened.
  public func verify(reducer: @escaping Reducer<State>) throws -> Divergence? {
    guard case .state(var state, var lastEqual) = recorded.events.first else { return nil }
    var last: ReadCommit<State>?
    for event in recorded.events.dropFirst() {
      switch event {
      case .over, .boundary: break
      case .state(let recorded, let commit):
        if let difference = difference(recorded, state) {
          return divergence(at: last, since: lastEqual, difference)
        }
        lastEqual = commit
      case .commit(let commit):
        last = commit
        if let intent = commit.intent {
          let effects = reducer(&state, intent)
          if let difference = difference(commit, effects) {
            return divergence(at: commit, since: lastEqual, difference)
          }
        }
        guard let recorded = commit.state else { continue }
        if commit.intent != nil, let difference = difference(recorded, state) {
          return divergence(at: commit, since: lastEqual, difference)
        }
        state = recorded
        lastEqual = commit.number
      }
    }
    return nil
  }

  private func difference(_ recorded: State, _ replayed: State) -> String? {
    let diff = stateDiff(recorded, replayed)
    return diff.isEmpty ? nil : "\(diff)"
  }

  /// Compares the effects that must happen.
  private func difference(_ commit: ReadCommit<State>, _ effects: [any Effect]) -> String? {
    let recorded = Dictionary(
      uniqueKeysWithValues: commit.effects.map { ($0.key.index, $0.effect) })
    let replayed = Dictionary(
      uniqueKeysWithValues: effects.enumerated().filter { coding.name(of: $0.element) != nil }
        .map { ($0.offset, $0.element) })
    let diff = stateDiff(recorded, replayed)
    return diff.isEmpty ? nil : "effects that must happen: \(diff)"
  }

  private func divergence(
    at commit: ReadCommit<State>?, since lastEqual: Int, _ difference: String
  ) -> Divergence? {
    guard let commit else { return nil }
    return Divergence(
      number: commit.number, intent: commit.intent ?? commit.gap, cause: commit.cause,
      lastEqual: lastEqual, difference: difference)
  }
}

extension Cause {
  fileprivate var words: String {
    switch self {
    case .outside: "from outside"
    case .effect(let index, let commit): "from effect \(index) of #\(commit)"
    case .lasting(let id, let commit): "from the lasting effect \(id) since #\(commit)"
    }
  }
}
