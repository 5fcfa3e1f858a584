internal import Synchronization

/// Keeps a subscriber subscribed, until you cancel or release it.
///
/// After ``cancel()`` has returned, the store starts no call to the subscriber, queued ones
/// included. A call that had begun on another thread continues; if a delivery of the same store
/// cancels, there is none (G8). Any thread may cancel, and canceling is idempotent. It never waits,
/// neither for a running call nor for other deliveries. It must not happen in a reducer (G7).
///
/// A subscription does not keep its store alive, and the store does not keep the subscription: one
/// that isn't held is canceled at once.
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

  /// Ends the subscription and releases the subscriber's closures, or leaves that to running or
  /// queued calls.
  ///
  /// A subscriber may cancel itself, and others, in its own call: none of them is called again.
  ///
  /// - Complexity: O(1), amortized.
  public func cancel() {
    if liveness.end() { removal.remove(liveness) }
  }
}

/// Removes a subscriber from its store, if that still exists.
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

  /// Hashes the identity of the subscription.
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  /// Keeps the subscription in a set, and so subscribed for as long as it is there.
  ///
  ///     store.subscribe(selector: \.value) { print($0) }.store(in: &subscriptions)
  ///
  /// - Parameter subscriptions: where to keep it; emptying that cancels all.
  /// - Complexity: O(1), amortized.
  public func store(in subscriptions: inout Set<Subscription>) {
    subscriptions.insert(self)
  }

  /// Keeps the subscription at the end of an array, and so subscribed for as long as it is there.
  ///
  /// - Parameter subscriptions: where to keep it; emptying that cancels all.
  /// - Complexity: O(1), amortized, where appending is.
  public func store<Subscriptions: RangeReplaceableCollection>(
    in subscriptions: inout Subscriptions
  ) where Subscriptions.Element == Subscription {
    subscriptions.append(self)
  }
}

/// Whether a subscription is live.
///
/// Each call checks it at its start, with no lock held, so `cancel()` never waits (G8):
///
///     the drainer                       another thread
///     finds it live, begins the call
///                                       cancel() returns
///     the call continues: it had begun
///     finds it ended, and drops the next call
///
/// A subscription holds this instead of its observer, which it must not keep alive. A weak
/// reference to the observer would do, but would make each retain and release several times slower.
///
/// `@unchecked Sendable` is sound because `slot` is used under the store's lock alone.
@usableFromInline
final class Liveness: @unchecked Sendable {
  private let isLive = Atomic(true)

  /// The subscriber's slot in its store's list.
  @usableFromInline var slot = 0

  /// Whether calls may start.
  var mayCall: Bool { isLive.load(ordering: .acquiring) }

  /// Lets no further call start.
  ///
  /// - Returns: whether calls could start until now.
  func end() -> Bool {
    isLive.exchange(false, ordering: .acquiringAndReleasing)
  }
}
