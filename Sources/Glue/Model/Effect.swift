/// A description of work in the outside world: "play the sound", "write this file".
///
/// An effect is an inert value that a ``Reducer`` returns, so a test compares it and nothing
/// happens. A store's ``EffectHandler`` objects do the work. A feature with one kind of work has a
/// structure, one with several an enumeration, so that a handler's `switch` is exhaustive:
///
///     struct Copy: Effect { var source: String, target: String }
///     enum CounterEffect: Effect { case playSound, stopSound }
public protocol Effect: Sendable {}

/// An object that does the work that effects describe.
///
/// A handler gets the effects of every commit after it was added, in the order of the commits and
/// of each reducer's array. For each effect the store calls its handlers in the order in which they
/// were added (G3). It calls one at a time, never inside another or inside a subscriber, so a
/// handler need neither be `Sendable` nor lock anything. Each call comes on the delivering thread,
/// so successive ones may come on different threads (see ``Delivery``). A main-actor handler is
/// called on the main actor.
///
/// A handler reports back by dispatching, during the call or later, from any thread. It should use
/// its callback for that: if it held the store, both would stay alive forever. The store may
/// release it on any thread.
///
/// No lock is held during the call: a handler may use the store in any way, wait for a thread that
/// does, or lock (G6). Chains of handlers and reducers of any length use constant stack (G5). A
/// handler that never returns stops all deliveries of its store, but not its reductions.
///
/// The parameter's type says which effects a handler gets. With `any Effect` it gets all. With a
/// concrete type it gets only that type, so that its `switch` is exhaustive:
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
  /// The effects that this handler gets; all of them unless another type is named.
  associatedtype Handled: Sendable = any Effect

  /// Does the work of one effect.
  ///
  /// - Parameters:
  ///   - effect: the effect that a reducer returned.
  ///   - dispatch: sends an intent to the store. It may be kept and called at any time, from any
  ///     thread; it does not keep the store alive.
  func handle(effect: Handled, dispatch: @escaping DispatchFunc)
}

/// Does the long-running work of effects, each in a task of its own.
///
///     struct Searching: AsyncEffectHandler {
///       let index: Index
///       func handle(effect: SearchEffect, dispatch: @escaping DispatchFunc) async {
///         switch effect {
///         case .query(let text):
///           do {
///             dispatch(SearchIntent.found(try await index.search(text)))
///           } catch {
///             dispatch(SearchIntent.failed("\(error)"))
///           }
///         }
///       }
///     }
///
/// The store starts the tasks in the order of deliveries (G3), and they run concurrently. The store
/// owns them: it cancels them when a ``CancelEffects`` or a ``ScheduledEffect``'s policy says so,
/// at ``Store/shutdown()``, and when it is released (G9). Check `Task.isCancelled` in long work, or
/// call functions that throw on cancellation. From the commit that cancels an effect on, its
/// intents are dropped (G11).
///
/// A task inherits the priority and the task-local values of the delivering thread. With several
/// threads that may not be the dispatching one, so let the effect carry what it needs of a request.
///
/// Report failures as intents, because no caller could catch an error. A type of effects that a
/// handler doesn't handle costs it no task.
public protocol AsyncEffectHandler: Sendable {
  /// The effects that this handler is called for; all of them unless another type is named.
  associatedtype Handled: Sendable = any Effect

  /// Does the work of one effect.
  ///
  /// - Parameters:
  ///   - effect: the effect that a reducer returned; of a scheduled effect, the effect itself.
  ///   - dispatch: sends an intent to the store, from any thread, as long as the effect is not
  ///     canceled. It may be kept; it does not keep the store alive.
  func handle(effect: Handled, dispatch: @escaping DispatchFunc) async
}
