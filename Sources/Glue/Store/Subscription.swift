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
  /// A subscriber may cancel itself, and others, in its own call: none of them is called again.
  ///
  /// - Complexity: O(1), amortised.
  public func cancel() {
    if liveness.end() { removal.remove(liveness) }
  }
}

/// Removes a subscriber from its store, if that is not gone.
///
/// A structure, because an optional closure is wrapped anew at each use.
@usableFromInline
struct Removal: Sendable {
  fileprivate let remove: @Sendable (Liveness) -> Void

  @usableFromInline
  init(_ remove: @escaping @Sendable (Liveness) -> Void) { self.remove = remove }
}

extension Subscription: Hashable {
  /// Whether two are the same subscription.
  public static func == (a: Subscription, b: Subscription) -> Bool { a === b }

  /// Hashes which subscription it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Keeps the subscription in a set, and so subscribed for as long as it is there.
  ///
  ///     store.subscribe(selector: \.value) { print($0) }.store(in: &subscriptions)
  ///
  /// - Parameter subscriptions: where to keep it; emptying that cancels all.
  /// - Complexity: O(1), amortised.
  public func store(in subscriptions: inout Set<Subscription>) {
    subscriptions.insert(self)
  }

  /// Keeps the subscription at the end of an array, and so subscribed for as long as it is there.
  ///
  /// - Parameter subscriptions: where to keep it; emptying that cancels all.
  /// - Complexity: O(1), amortised, where appending is.
  public func store<Subscriptions: RangeReplaceableCollection>(
    in subscriptions: inout Subscriptions
  ) where Subscriptions.Element == Subscription {
    subscriptions.append(self)
  }
}
