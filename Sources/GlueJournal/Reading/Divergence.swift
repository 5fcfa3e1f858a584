public import Glue
internal import GlueDescribing

/// The first commit where a reducer departs from the recording.
public struct Divergence: CustomStringConvertible, Sendable {
  /// The number of the first commit that differs.
  public let number: Int

  /// The commit's intent.
  public let intent: any Intent

  /// The source of the intent.
  public let cause: Cause

  /// The last commit where the replayed state matched the recorded states and digests.
  ///
  /// The divergence arose after it.
  public let lastEqual: Int

  /// The differences, recorded → replayed, one a line.
  ///
  /// For a digest, the properties that differ.
  public internal(set) var difference: String

  init(_ commit: RecordedCommit, _ lastEqual: Int, _ difference: String) {
    number = commit.number
    intent = commit.intent
    cause = commit.cause
    self.lastEqual = lastEqual
    self.difference = difference
  }

  /// The commit, its intent, and the differences.
  public var description: String {
    let origin =
      switch cause {
      case .outside: "from outside"
      case .effect(let index, let commit): "from effect \(index) of #\(commit)"
      case .lasting(let id, let commit): "from the lasting effect \(id) since #\(commit)"
      }
    let isExact = number == lastEqual + 1
    let interval = """
       (it departed between commits \(lastEqual) and \(number), and no state is recorded in between)
      """
    return """
      commit #\(number) \(shortDescription(of: intent, limit: 200)), \(origin): the reducer's \
      result differs from the recording\
      \(isExact ? "" : interval)
      \(difference)
      """
  }
}
