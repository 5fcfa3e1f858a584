internal import Synchronization

/// Where an intent comes from: an effect, or a call that waits for all that its intent causes.
@usableFromInline
final class Origin: Sendable {
  @usableFromInline let cause: Cause
  private let cancelled = Atomic(false)

  /// What is not over before this is, until this ends.
  private let tracked: Guarded<Activity?>

  init(cause: Cause, activity: Activity? = nil) {
    self.cause = cause
    tracked = Guarded(activity)
  }

  /// Whether its intents are dropped from now on (G11); changed under the store's lock.
  @usableFromInline
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Lets no more of its intents be reduced.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }

  /// What has to wait for what its next intent causes.
  @usableFromInline
  var activity: Activity? { tracked.withLock { $0 } }

  /// Says that intents sent from now on, by a callback that was kept, are not part of the activity.
  ///
  /// As that may end a wait, no lock may be held.
  func end() {
    _ = tracked.withLock { $0.take() }
  }
}

/// Something that is over when all that it has caused is: when nobody holds this any more.
///
/// Held by the queued deliveries, the effects and the tasks that it has caused, so what is dropped,
/// replaced or cancelled counts as over without anybody counting.
@usableFromInline
final class Activity: Sendable {
  private let completion: Completion

  init(_ completion: Completion) { self.completion = completion }

  deinit { completion.complete() }
}
