/// A description of a change to a store's state: "increment", "the reply has arrived".
///
/// An intent is an inert value. It says what should happen; the ``Reducer`` decides what does.
/// A feature usually has one enumeration of them, and a store takes those of any number of
/// features:
///
///     enum CounterIntent: Intent { case increment, decrement }
public protocol Intent: Sendable {}

/// Sends an intent to the store that gave this function away, from any thread.
///
/// It is ``Store/dispatch(_:)-(Intent)``, except that it does not keep the store alive: once the store is
/// gone it does nothing (G9).
public typealias DispatchFunc = @Sendable (any Intent) -> Void

/// What is run by a middleware, and never reduced.
@usableFromInline
protocol Runnable {}
