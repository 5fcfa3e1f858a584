internal import Synchronization

/// A call of a store's chain of middleware with an intent that has an origin.
///
/// The chain's functions cannot pass the origin on, so it takes the way of a task-local value,
/// which also works on threads that run no task.
@usableFromInline
final class ChainCall: Sendable {
  @TaskLocal private static var innermost: ChainCall?

  /// How many calls are under way.
  private static let count = Atomic(0)

  /// Where no call is under way nothing is looked up, which would cost a dispatch through
  /// middleware a third more.
  private static var current: ChainCall? {
    count.load(ordering: .relaxed) == 0 ? nil : innermost
  }

  private let store: ObjectIdentifier
  private let origin: Origin
  private let thread = currentThread()
  private let isOver = Atomic(false)

  private init(in store: ObjectIdentifier, from origin: Origin) {
    self.store = store
    self.origin = origin
  }

  /// Makes a call, in which ``origin(in:)`` tells the origin.
  @usableFromInline
  static func make(in store: ObjectIdentifier, from origin: Origin, _ body: () -> Void) {
    let call = ChainCall(in: store, from: origin)
    count.add(1, ordering: .relaxed)
    $innermost.withValue(call, operation: body)
    count.subtract(1, ordering: .relaxed)
    call.isOver.store(true, ordering: .relaxed)
  }

  /// Does what is not part of a call, although it may be done in one.
  @usableFromInline
  static func leave(_ body: () -> Void) {
    current == nil ? body() : $innermost.withValue(nil, operation: body)
  }

  /// The origin of what a middleware does on this thread, if that is part of a call of the store's.
  ///
  /// Tasks that are made in a call inherit it, but are no part of it.
  @usableFromInline
  static func origin(in store: ObjectIdentifier) -> Origin? {
    guard let call = current, call.store == store, call.thread == currentThread() else {
      return nil
    }
    return call.isOver.load(ordering: .relaxed) ? nil : call.origin
  }
}
