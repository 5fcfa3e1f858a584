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
  public internal(set) var difference: String

  init(_ commit: RecordedCommit, _ lastEqual: Int, _ difference: String) {
    number = commit.number
    intent = commit.intent
    cause = commit.cause
    self.lastEqual = lastEqual
    self.difference = difference
  }

  /// The commit, its intent, and what differs.
  public var description: String {
    let origin =
      switch cause {
      case .outside: "from outside"
      case .effect(let index, let commit): "from effect \(index) of #\(commit)"
      case .lasting(let id, let commit): "from the lasting effect \(id) since #\(commit)"
      }
    let span = lastEqual + 1...number
    return """
      commit #\(number) \(shortDescription(of: intent, limit: 200)), \(origin): the reducer goes \
      another way than what was recorded\
      \(span.count == 1 ? "" : " (it arose in one of the commits \(span))")
      \(difference)
      """
  }
}
