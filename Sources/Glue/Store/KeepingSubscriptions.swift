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
