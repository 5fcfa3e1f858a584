/// What an intent came from.
public enum Cause: Hashable, Sendable {
  /// A call from outside, a subscriber, or anything else that is no effect's handler.
  case outside

  /// The handler of an effect: of the one at an index of the effects of a commit.
  case effect(Int, ofCommit: Int)
}
