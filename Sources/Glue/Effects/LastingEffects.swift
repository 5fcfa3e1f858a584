/// One effect's stay in the set of those that last.
struct ActiveLastingEffect: Sendable {
  let effect: LastingEffect

  /// The number of the commit that started it; 0 is the first state.
  let since: Int
}

/// The effects that a store's state has last.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables.
@usableFromInline
final class LastingEffects<State>: @unchecked Sendable {
  private let select: @Sendable (State) -> [LastingEffect]
  private(set) var active: [ActiveLastingEffect]

  /// The types of the effects that each of the last commits has ended and begun, and how many.
  var renewals: [(type: Any.Type, count: Int)] = []

  /// Whether the first state's effects were checked for handlers.
  var isChecked = false

  @usableFromInline
  init(in state: State, _ select: @escaping @Sendable (State) -> [LastingEffect]) {
    self.select = select
    active = select(state).map { ActiveLastingEffect(effect: $0, since: 0) }
    _ = byID(active)
  }

  /// Compares the effects that last now with those before.
  ///
  /// - Parameters:
  ///   - state: the state after a commit.
  ///   - number: the number of that commit.
  ///   - deferred: takes what is to be released unlocked.
  /// - Returns: the changes, if any.
  /// - Complexity: O(*n*) in the number of effects that last.
  func update(
    for state: State, commit number: Int, _ deferred: inout Deferred
  ) -> CommitDetails? {
    let effects = select(state)
    deferred.releases.append(effects)
    if effects.elementsEqual(active, by: { $0 == $1.effect }) {
      renewals = []
      return nil
    }
    let old = active
    deferred.releases.append(old)
    let before = byID(old)
    active = effects.map { effect in
      if let known = before[effect.key], known.effect == effect { return known }
      return ActiveLastingEffect(effect: effect, since: number)
    }
    let kept = byID(active)
    countRenewals(of: old.filter { kept[$0.effect.key]?.since != $0.since }, by: number)
    return CommitDetails(
      began: active.filter { before[$0.effect.key]?.since != $0.since }.map(\.effect),
      ceased: old.filter { kept[$0.effect.key]?.since != $0.since }.map(\.effect))
  }
}

/// The effects by their ids, which must differ.
private func byID(_ active: [ActiveLastingEffect]) -> [EffectID: ActiveLastingEffect] {
  Dictionary(active.map { ($0.effect.key, $0) }) { one, other in
    let (one, other) = (one.effect, other.effect)
    stopForTwoLastingEffects(
      ofTypes: "\(type(of: one.effect))", "\(type(of: other.effect))", id: "\(type(of: other.id))")
  }
}
