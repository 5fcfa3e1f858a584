/// An effect handler as the store sees it.
@usableFromInline
enum Handling: Sendable {
  /// A method to call; without a callback of the effect's own it uses one that all effects share.
  case sync(@Sendable (any Effect, Callback?) -> Void)

  /// A method to start a task for.
  case async(AsyncHandling)

  func startsTask(for effect: any Effect) -> Bool {
    if case .async(let handling) = self { handling.handles(effect) } else { false }
  }
}

/// A function that dispatches for one effect.
///
/// A function in an optional of its own is wrapped at each use, at the cost of two allocations; one
/// in a structure is not.
@usableFromInline
struct Callback: Sendable {
  @usableFromInline let dispatch: DispatchFunc
}

/// An asynchronous effect handler's method, with a test that tells whether to start a task for it.
@usableFromInline
final class AsyncHandling: Sendable {
  let handles: @Sendable (any Effect) -> Bool
  let handle: @Sendable (any Effect, @escaping DispatchFunc) async -> Void

  @usableFromInline
  init(
    handles: @escaping @Sendable (any Effect) -> Bool,
    handle: @escaping @Sendable (any Effect, @escaping DispatchFunc) async -> Void
  ) {
    self.handles = handles
    self.handle = handle
  }
}
