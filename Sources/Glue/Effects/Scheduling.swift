/// When an effect starts, and what it does to others with the same id.
///
/// An effect is queued when it is emitted, and its turn comes in the order of deliveries (G3). Then
/// it starts, or waits and starts; it is over when all its handlers have returned. The policy
/// decides when the effect is emitted; a wait is counted from its turn, on the store's clock.
///
/// In the timelines each column is 100 ms. Effects `a`, `b` and `c`, of one id, are emitted where
/// their letters are in the first line, `[` is a start, `]` an end, `x` a cancellation.
public enum EffectPolicy: Hashable, Sendable {
  /// Cancels what there is of this id, and starts.
  ///
  /// A task that was cancelled may go on until it heeds that: for so long two of one id overlap,
  /// which ``replacing`` avoids.
  ///
  ///     emitted   a . b . . . .
  ///     a         [ - x
  ///     b             [ - - ]
  case latest

  /// Cancels what there is of this id, and starts when all of its tasks have returned.
  ///
  /// So there are never two at once, if the id is used with this policy alone, and of several that
  /// wait the last one starts: for what must be released before it is acquired again, such as a
  /// file, a port or a device. A task that does not heed its cancellation holds up those that
  /// follow.
  ///
  ///     emitted   a . b . . . .
  ///     a         [ - x ]
  ///     b               [ - - ]
  case replacing

  /// Is dropped if anything of this id is queued, waiting or running; else it starts.
  ///
  /// What a throttle keeps for later does not count.
  ///
  ///     emitted   a . b . c . .
  ///     a         [ - - ]
  ///     c                 [ - - ]
  case leading

  /// Starts when everything of this id that was emitted earlier is over.
  ///
  ///     emitted   a b . . . . .
  ///     a         [ - - ]
  ///     b               [ - - ]
  case sequential

  /// Cancels what there is of this id, running or not, and starts after a time in which nothing of
  /// this id is emitted.
  ///
  /// With `.debounce(.milliseconds(300))`:
  ///
  ///     emitted   a b . . . . .
  ///     a         - x
  ///     b           - - - [ - ]
  case debounce(Duration)

  /// Starts at once, if that long has passed since the last start; else the latest one waits for
  /// that moment, and those before it are dropped.
  ///
  /// It limits starts, not how many run at once. With `.throttle(.milliseconds(300))`:
  ///
  ///     emitted   a b c . . . .
  ///     a         [ - ]
  ///     c               [ - ]
  case throttle(Duration)

  /// Starts after a time, whatever else there is of this id.
  ///
  /// With `.delay(.milliseconds(300))`:
  ///
  ///     emitted   a b . . . . .
  ///     a         - - - [ - ]
  ///     b           - - - [ - ]
  case delay(Duration)
}

/// An effect with a policy that says when it starts, and an id that tells which effects it
/// concerns.
///
/// It is a value that a reducer returns and a test compares; the store interprets it and hands the
/// effect itself to the handlers:
///
///     return [SearchEffect.query(text).scheduled(.debounce(.milliseconds(300)), id: "search")]
///
/// Two are equal if their policies, ids and effects are; effects that are not `Equatable` are not.
public struct ScheduledEffect: Effect, Equatable {
  /// What handlers get.
  public let effect: any Effect

  /// When it starts, and what it does to others with the same id.
  public let policy: EffectPolicy

  /// What it shares with the effects that its policy concerns.
  public var id: any Hashable & Sendable { key.value }

  let key: EffectID

  fileprivate init(effect: any Effect, policy: EffectPolicy, key: EffectID) {
    self.effect = effect
    self.policy = policy
    self.key = key
  }

  /// Compares policies, ids and effects.
  public static func == (a: ScheduledEffect, b: ScheduledEffect) -> Bool {
    a.policy == b.policy && a.key == b.key && areEqual(a.effect, b.effect)
  }
}

extension Effect {
  /// This effect, to be started as a policy says.
  ///
  /// Of several in a row the last one counts. A ``CancelEffects`` cannot be scheduled: it cancels
  /// at its commit.
  ///
  /// - Parameters:
  ///   - policy: when it starts. A time of zero or less is none; one of over 90 years is 90 years.
  ///   - id: what it shares with the effects that the policy concerns. Ids are compared as
  ///     `AnyHashable` while the store is locked, so their `==`, `hash` and
  ///     `description` must be pure (G7).
  /// - Returns: a value for a reducer to return.
  public func scheduled(
    _ policy: EffectPolicy, id: some Hashable & Sendable
  ) -> ScheduledEffect {
    if self is CancelEffects { stopForScheduledCancellation() }
    let effect = (self as? ScheduledEffect)?.effect ?? self
    return ScheduledEffect(effect: effect, policy: policy, key: EffectID(id))
  }
}

/// Cancels the effects that were scheduled with an id: queued, waiting and running ones.
///
///     return [CancelEffects(id: "search")]
///
/// That happens at the commit whose reducer returns it: from then on nothing that the effects
/// dispatch is reduced (G11), and those that have not started never do. Of the same array, only
/// what comes before it is cancelled. It is the store's business, so no handler gets it. What an
/// effect that was over before has kept, such as its callback, is not concerned. An id is compared
/// with its type: a `Substring` cancels nothing that was scheduled with a `String`.
public struct CancelEffects: Effect, Hashable {
  /// What the effects were scheduled with.
  public var id: any Hashable & Sendable { key.value }

  let key: EffectID

  /// Names the effects to cancel; if there are none, nothing happens.
  public init(id: some Hashable & Sendable) {
    key = EffectID(id)
  }
}

/// Whether an effect is the store's business before it is its handlers'.
@inlinable
func isScheduling<E: Effect>(_ effect: E) -> Bool {
  E.self == ScheduledEffect.self || E.self == CancelEffects.self || E.self == Send.self
}

/// An id of any type, compared as `AnyHashable` does.
struct EffectID: Hashable, Sendable {
  let value: any Hashable & Sendable

  /// Whether it is that of a lasting effect, which no other effect shares.
  let isLasting: Bool

  init(_ value: some Hashable & Sendable, isLasting: Bool = false) {
    self.value = value
    self.isLasting = isLasting
  }

  static func == (a: EffectID, b: EffectID) -> Bool {
    a.isLasting == b.isLasting && AnyHashable(a.value) == AnyHashable(b.value)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(AnyHashable(value))
  }
}
