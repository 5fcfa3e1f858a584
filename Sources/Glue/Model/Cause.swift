/// What an intent came from.
public enum Cause: Hashable, Sendable {
  /// A call from outside, a subscriber, or anything else that is no effect's handler.
  case outside

  /// The handler of an effect: of the one at an index of the effects of a commit.
  case effect(Int, ofCommit: Int)

  /// The handler of a lasting effect: of the one whose id has this description, which lasts since a
  /// commit; 0 is the first state.
  case lasting(String, sinceCommit: Int)
}
