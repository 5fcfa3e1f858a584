/// A description of work in the outside world: "play the sound", "write this file".
///
/// An effect is an inert value that a ``Reducer`` returns, so a test compares it and nothing
/// happens. The ``EffectHandler`` objects of a store do the work. A feature with one kind of work
/// has a structure, one with several an enumeration, so that a handler's `switch` is exhaustive:
///
///     struct Copy: Effect { var source: String, target: String }
///     enum CounterEffect: Effect { case playSound, stopSound }
public protocol Effect: Sendable {}

/// An object that does the work that effects describe.
///
/// A handler gets the effects of every commit made after it was added, in the order of the commits
/// and of each reducer's array, and for each effect the store's handlers are called in the order in
/// which they were added (G3). The store calls one at a time, never inside another or inside a
/// subscriber, so a handler needs neither to be `Sendable` nor to lock anything. Successive calls
/// may come on different threads: on whichever is delivering (see ``Delivery``). One that belongs
/// to the main actor is called there.
///
/// A handler reports back by dispatching, during the call or later, from any thread. It should use
/// its callback for that instead of holding the store, which would keep both alive for ever. It may
/// be released on any thread.
///
/// No lock is held during the call: it may use the store in any way, wait for a thread that does,
/// or lock (G6). Chains of handlers and reducers of any length use constant stack (G5). A handler
/// that never returns stops all deliveries of its store, though not its reductions.
///
/// Write the parameter's type to say which effects you want. With `any Effect` a handler gets all,
/// with a type of its own that type alone, so that its `switch` is exhaustive:
///
///     final class Sounds: EffectHandler {
///       func handle(effect: CounterEffect, dispatch: @escaping DispatchFunc) {
///         switch effect {
///         case .playSound: player.play()
///         case .stopSound: player.stop()
///         }
///       }
///     }
public protocol EffectHandler: AnyObject {
  /// The effects that this handler is called for; all of them unless another type is named.
  associatedtype Handled: Sendable = any Effect

  /// Does the work of one effect.
  ///
  /// - Parameters:
  ///   - effect: what a reducer returned.
  ///   - dispatch: sends an intent to the store. It may be kept and called at any time, from any
  ///     thread; it does not keep the store alive.
  func handle(effect: Handled, dispatch: @escaping DispatchFunc)
}
