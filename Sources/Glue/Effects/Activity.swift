/// Something that is over when all that it has caused is: when nobody holds this any more.
///
/// Held by the queued deliveries, the effects and the tasks that it has caused, so what is dropped,
/// replaced or cancelled counts as over without anybody counting.
@usableFromInline
final class Activity: Sendable {
  private let completion: Completion

  /// The effect whose task waits for this, if it is known to do nothing else meanwhile.
  private let awaitingEffect: Run?

  init(_ completion: Completion, awaitedBy effect: Run? = nil) {
    self.completion = completion
    awaitingEffect = effect
  }

  deinit { completion.complete() }

  /// Whether a running effect of a group waits for this; asked under the store's lock.
  func isAwaited(in group: Group) -> Bool {
    var activity: Activity? = self
    while let effect = activity?.awaitingEffect {
      if effect.phase == .running && effect.group === group { return true }
      activity = effect.origin.activity
    }
    return false
  }
}
