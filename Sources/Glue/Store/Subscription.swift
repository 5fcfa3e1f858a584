/// What keeps a subscriber subscribed: cancel it, or release it, and the subscriber is told no
/// more.
///
/// After ``cancel()`` has returned no call to the subscriber starts that the store had not already
/// begun, those that were queued included; called from a delivery of the same store, none at all
/// (G8). Any thread may cancel, cancelling again does nothing, and cancelling never waits: neither
/// for a call that is running nor for other deliveries. It must not happen in a reducer (G7).
///
/// A subscription does not keep its store alive, nor does the store keep the subscription: one that
/// is not held somewhere is cancelled at once.
public final class Subscription: Sendable {
  private let liveness: Liveness
  private let removal: Removal

  @usableFromInline
  init(_ liveness: Liveness, removal: Removal) {
    self.liveness = liveness
    self.removal = removal
  }

  deinit {
    cancel()
  }

  /// Ends the subscription and releases the subscriber's closures, or leaves that to the calls to
  /// it that are running or queued.
  ///
  /// - Complexity: O(1), amortised.
  public func cancel() {
    if liveness.end() { removal.remove(liveness) }
  }
}

/// Removes a subscriber from its store, if that is not gone; all of a store's share it.
@usableFromInline
struct Removal: Sendable {
  fileprivate let remove: @Sendable (Liveness) -> Void

  @usableFromInline
  init(_ remove: @escaping @Sendable (Liveness) -> Void) { self.remove = remove }
}
