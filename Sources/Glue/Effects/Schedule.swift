/// An id and a policy, without the effect.
@usableFromInline
final class Schedule: Sendable {
  let id: EffectID
  let policy: EffectPolicy

  /// When the effect was emitted, if it is left over from an earlier process.
  let emitted: Duration?

  init(id: EffectID, policy: EffectPolicy, emitted: Duration? = nil) {
    self.id = id
    self.policy = policy
    self.emitted = emitted
  }
}
