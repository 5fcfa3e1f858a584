/// A description of a change to a store's state: "increment", "the reply has arrived".
///
/// An intent is an inert value. It says what should happen; the ``Reducer`` decides what does. A
/// feature usually has one enumeration of them, and a store takes the intents of any number of
/// features:
///
///     enum CounterIntent: Intent { case increment, decrement }
public protocol Intent: AnyIntent, Sendable {
  /// Whether intents of this type go to the whole when an effect of a part dispatches them.
  ///
  /// By default they go to the part whose effect dispatches them. Let those leave that concern the
  /// whole program, and not one feature:
  ///
  ///     enum SessionIntent: Intent {
  ///       static let leavesParts = true
  ///       case expired
  ///     }
  ///
  /// They pass by all features in between. For what concerns the parent alone, let its reducer follow
  /// its elements' intents, as ``ElementIntent`` shows.
  static var leavesParts: Bool { get }
}

extension Intent {
  /// False: an effect's intents go to its part.
  public static var leavesParts: Bool { false }
}

/// A type that a reducer can name as that of its intents: an ``Intent``, or `any Intent`.
///
/// So one form of each combinator takes typed reducers and those of all intents. Don't conform to
/// it: a type of intents conforms to ``Intent``.
@_marker public protocol AnyIntent {}

/// Sends an intent to the store that created this function, from any thread.
///
/// It works like ``Store/dispatch(_:)``, but doesn't keep the store alive: once the store
/// is gone it is a no-op (G9).
public typealias DispatchFunc = @Sendable (any Intent) -> Void

/// An intent that a middleware runs, and that is never reduced.
@usableFromInline
package protocol Runnable {}

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
