/// What an intent causes: deinit says that all of it has finished.
///
/// The queued deliveries, effects and tasks that it has caused hold it, so dropped, replaced and
/// cancelled work counts as finished without a counter.
@usableFromInline
final class Activity: Sendable {
  private let completion: Completion

  /// The effect whose task waits for this, if it is known to do nothing else meanwhile.
  private let awaitingEffect: EffectRun?

  init(_ completion: Completion, awaitedBy effect: EffectRun? = nil) {
    self.completion = completion
    awaitingEffect = effect
  }

  deinit { completion.complete() }

  /// Whether a running effect of a group waits for this; asked under the store's lock.
  func isAwaited(in group: EffectGroup) -> Bool {
    var activity: Activity? = self
    while let effect = activity?.awaitingEffect {
      if effect.phase.hasStarted && effect.group === group { return true }
      activity = effect.origin.activity
    }
    return false
  }
}
