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
