/// An effect with a policy that says when it starts, and with an id that groups effects.
///
/// It is a value that a reducer returns and a test compares. The store interprets it and passes the
/// effect itself to the handlers:
///
///     return [SearchEffect.query(text).scheduled(.debounce(.milliseconds(300)), id: "search")]
///
/// Two are equal if their policies, ids and effects are; effects that are not `Equatable` never
/// are.
public struct ScheduledEffect: Effect, Equatable {
  /// The effect that handlers get.
  public let effect: any Effect

  /// When it starts, and what it does to others with the same id.
  public let policy: EffectPolicy

  /// The id, which groups the effects among which the policy decides.
  public var id: any Hashable & Sendable { key.value }

  let key: EffectID

  init(effect: any Effect, policy: EffectPolicy, key: EffectID) {
    self.effect = effect
    self.policy = policy
    self.key = key
  }

  /// Compares policies, ids and effects.
  public static func == (a: ScheduledEffect, b: ScheduledEffect) -> Bool {
    a.policy == b.policy && a.key == b.key && areEqual(a.effect, b.effect)
  }
}

extension ScheduledEffect: CustomReflectable {
  /// The effect, the policy and the id.
  public var customMirror: Mirror {
    Mirror(
      self, children: ["effect": effect, "policy": policy, "id": id], displayStyle: .struct)
  }
}

extension Effect {
  /// Schedules this effect with a policy.
  ///
  /// If an effect is scheduled several times, the last one counts. A ``CancelEffects`` can't be
  /// scheduled: it cancels at its commit. The id of a ``PartEffect`` is one of its part.
  ///
  /// - Parameters:
  ///   - policy: when it starts. A time of zero or less is none; one of over 90 years is 90 years.
  ///   - id: groups the effects among which the policy decides. The store compares ids as
  ///     `AnyHashable` while it is locked, so their `==`, `hash` and `description` must be pure
  ///     (G7).
  /// - Returns: a value for a reducer to return.
  public func scheduled(
    _ policy: EffectPolicy, id: some Hashable & Sendable
  ) -> ScheduledEffect {
    if isExact(self, CancelEffects.self) { stopForScheduledCancellation() }
    let effect: any Effect = exact(self, as: ScheduledEffect.self)?.effect ?? self
    let (part, key) = (exact(effect, as: PartEffect.self), EffectID(id))
    return ScheduledEffect(effect: effect, policy: policy, key: part?.key(key) ?? key)
  }
}

/// Whether the store handles an effect before, or instead of, its handlers.
@_alwaysEmitIntoClient
func isScheduling<E: Effect>(_ effect: E) -> Bool {
  E.self == ScheduledEffect.self || E.self == CancelEffects.self || E.self == Send.self
    || E.self == PartEffect.self
}
