internal import Synchronization

/// Where an intent comes from: an effect, or a call that waits for all that its intent causes.
///
/// `@unchecked Sendable` is sound because what varies is used under its store's lock alone, or is
/// atomic.
@usableFromInline
final class Origin: @unchecked Sendable {
  @usableFromInline let cause: Cause
  private let cancelled = Atomic(false)

  /// What has to wait for what its next intent causes: nothing any more once it has ended.
  @exclusivity(unchecked) @usableFromInline var activity: Activity?

  /// Whether it was part of something at first.
  let isPartOfActivity: Bool

  @usableFromInline
  init(cause: Cause, activity: Activity? = nil) {
    self.cause = cause
    self.activity = activity
    isPartOfActivity = activity != nil
  }

  /// Whether its intents are dropped from now on (G11); changed under the store's lock.
  @usableFromInline
  var isCancelled: Bool { cancelled.load(ordering: .acquiring) }

  /// Lets no more of its intents be reduced.
  func cancel() {
    cancelled.store(true, ordering: .releasing)
  }
}
