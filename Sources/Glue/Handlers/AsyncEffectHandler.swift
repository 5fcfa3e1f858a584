/// Does the work of effects that takes time, each in a task of its own.
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
/// The tasks are started in the order of deliveries (G3) and run concurrently. The store owns them:
/// it cancels them when a ``CancelEffects`` or a policy of a ``ScheduledEffect`` says so, at
/// ``Store/shutdown()``, and when it goes (G9). Look at `Task.isCancelled` in long work, or call
/// functions that throw when they are cancelled. From the commit that cancels an effect on, what it
/// dispatches is dropped (G11).
///
/// A task has the priority and the task-local values of whoever delivers, which with several
/// threads need not be who dispatched; and what it needs of a request an effect should carry
/// itself.
///
/// Failures are intents: there is nobody to throw to. A type that a handler does not handle costs
/// it no task.
public protocol AsyncEffectHandler: Sendable {
  /// The effects that this handler is called for; all of them unless another type is named.
  associatedtype Handled: Sendable = any Effect

  /// Does the work of one effect.
  ///
  /// - Parameters:
  ///   - effect: what a reducer returned; of a scheduled effect, the effect itself.
  ///   - dispatch: sends an intent to the store, from any thread, as long as the effect is not
  ///     cancelled. It may be kept; it does not keep the store alive.
  func handle(effect: Handled, dispatch: @escaping DispatchFunc) async
}
