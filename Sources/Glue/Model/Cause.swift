/// The cause of an intent.
public enum Cause: Hashable, Sendable {
  /// A call from outside, a subscriber, or anything else except an effect's handler.
  case outside

  /// The handler of the effect at an index of a commit's effects.
  case effect(Int, ofCommit: Int)

  /// The handler of the lasting effect whose id has this description, and which has lasted since a
  /// commit; 0 is the first state.
  case lasting(String, sinceCommit: Int)
}
