public import Glue

/// Where a reducer goes another way than what was recorded.
public struct Divergence: CustomStringConvertible, Sendable {
  /// The first commit at which that is seen.
  public let number: Int

  /// What was reduced there.
  public let intent: any Intent

  /// What the intent came from.
  public let cause: Cause

  /// The last commit up to which the recorded states and digests are those of the replayed states:
  /// it arose after that.
  public let lastEqual: Int

  /// What differs: recorded → replayed, a line each; of a digest, the properties that do.
  public let difference: String

  init(_ commit: RecordedCommit, _ lastEqual: Int, _ difference: String) {
    number = commit.number
    intent = commit.intent
    cause = commit.cause
    self.lastEqual = lastEqual
    self.difference = difference
  }

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
  /// each. Nothing is known of the state behind the last recorded one, as of a process that was
  /// killed: there the effects that must happen are compared alone. An orderly end and
  /// ``Journal/export(to:redact:)`` record one.
  ///
  /// - Parameter reducer: the reducer as it is today.
  /// - Returns: the first difference; nil if there is none.
  /// - Throws: nothing today, for all is read when the recording is opened.
  public func verify(reducer: @escaping Reducer<State>) throws -> Divergence? {
    for step in Replay<State>(of: recorded, coding, reducer) {
      if let divergence = step.divergence { return divergence }
    }
    return nil
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
