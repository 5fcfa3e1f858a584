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
    var replay = Replay<State>(of: recorded)
    var lastEqual = recorded.start
    var last: RecordedCommit?
    for record in recorded.records {
      var state: State?
      var difference = ""
      if let commit = record.commit {
        difference = differences(commit, replay.run(commit, reducer))
        state = commit.state.map(typed)
        last = commit
      } else if case .state(let recorded, _, _, _) = record.content {
        state = typed(recorded)
      }
      if let state, difference.isEmpty, last?.isGap == false {
        difference = "\(stateDiff(state, replay.state))"
      }
      if let last, !difference.isEmpty {
        return Divergence(
          number: last.number, intent: last.intent, cause: last.cause, lastEqual: lastEqual,
          difference: difference)
      }
      if let state { (replay.state, lastEqual) = (state, last?.number ?? lastEqual) }
    }
    return nil
  }

  /// Compares the effects that must happen.
  private func differences(_ commit: RecordedCommit, _ effects: [any Effect]) -> String {
    if commit.isGap { return "" }
    let recorded = Dictionary(commit.effects.map { ($0.key.index, $0.effect) }) { $1 }
    let replayed = Dictionary(
      uniqueKeysWithValues: effects.enumerated().filter { coding.name(of: $0.element) != nil }
        .map { ($0.offset, $0.element) })
    let diff = stateDiff(recorded, replayed)
    return diff.isEmpty ? "" : "effects that must happen: \(diff)"
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
