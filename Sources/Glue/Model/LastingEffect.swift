/// An effect that lasts for as long as the state says so: a poll, a tail of the selected file, a
/// connection.
///
/// No reducer returns it. A store's `lasting:` is a pure function that derives from the state the
/// effects that last now. The store starts, changes and stops them as the state changes, for any
/// reason. So undo and a restored state need nothing special:
///
///     let store = Store(
///       state: Tower(), reducer: tower,
///       lasting: { state in
///         (state.isPolling ? [WatchEffect.poll(every: state.interval).lasting(id: "poll")] : [])
///           + (state.log.map { [WatchEffect.tail($0).lasting(id: "tail")] } ?? [])
///       })
///
/// - Each asynchronous handler of the effect's type runs it once, in a task, for as long as the
///   effect lasts. A handler that is added later runs the effects that last then.
/// - After each commit the store compares the set with the one before. An effect with the same id
///   that is equal continues untouched. An effect that is gone, or replaced by another of its id,
///   is canceled at that commit: no intent that it dispatches is reduced any more (G11).
/// - A new one starts after the commit's own effects, in the order of the array, as soon as no task
///   of a lasting effect of its id is left. So two of an id never overlap.
/// - An effect has ended when its tasks have returned. It starts again only after a commit without
///   its id, or with another effect.
/// - Its id is separate from those of scheduled effects: no policy and no ``CancelEffects`` affects
///   it. ``Store/settled()`` and ``Store/perform(_:)`` don't wait for it. ``Store/shutdown()`` and
///   the release of the store cancel it.
///
/// Two are equal if their ids and effects are.
///
/// Each commit of the store calls the function, and compares the *n* effects that it returns with
/// the *n* before, which is O(*n*) even where nothing changed. Each of them costs the commit about
/// as much as ten dispatches without effects. So return a handful: what should run now, not an
/// effect for each of a thousand rows. For many of a kind, let one effect's handler serve them all,
/// or schedule effects whose id is a ``PartID``.
public struct LastingEffect: Equatable, Sendable {
  /// The effect that handlers get.
  public var effect: any Effect { content }

  /// The same, with its `==`, which a commit needs for each lasting effect: to cast it each time would
  /// take many times longer.
  private let content: any Effect & Equatable

  /// Distinguishes it from others that last at the same time.
  public var id: any Hashable & Sendable { key.value }

  let key: EffectID

  fileprivate init(_ content: any Effect & Equatable, key: EffectID) {
    self.content = content
    self.key = key
  }

  /// Compares ids and effects.
  public static func == (a: LastingEffect, b: LastingEffect) -> Bool {
    a.key == b.key && areEqualEffects(a.content, b.content)
  }
}

extension LastingEffect: CustomReflectable {
  /// The effect and the id.
  public var customMirror: Mirror {
    Mirror(self, children: ["effect": effect, "id": id], displayStyle: .struct)
  }
}

/// Whether two effects are equal, without a dynamic cast where their types are the same.
///
/// The bit cast is sound because both types are equal.
private func areEqualEffects<A: Equatable, B: Equatable>(_ a: A, _ b: B) -> Bool {
  A.self == B.self ? a == unsafeBitCast(b, to: A.self) : (b as? A).map { a == $0 } ?? false
}

extension Effect where Self: Equatable {
  /// This effect, to last for as long as a store's `lasting:` returns it.
  ///
  /// A ``ScheduledEffect``, a ``CancelEffects`` and a ``Send`` can't last.
  ///
  /// - Parameter id: distinguishes it from others that last at the same time. The store compares
  ///   ids and effects, and describes ids of new lasting effects, while it is locked. So their
  ///   `==`, `hash` and `description` must be pure (G7).
  /// - Returns: a value for a store's `lasting:` to return.
  public func lasting(id: some Hashable & Sendable) -> LastingEffect {
    if isScheduling(self) { stopForLastingWork("\(Self.self)") }
    return LastingEffect(self, key: EffectID(id, isLasting: true))
  }
}

/// One effect's stay in the set of those that last.
struct ActiveLastingEffect: Sendable {
  let effect: LastingEffect

  /// The number of the commit that started it; 0 is the first state.
  let since: Int
}

/// The effects that a commit has started and stopped.
@usableFromInline
package final class LastingChange: Sendable {
  let began: [LastingEffect]
  let ceased: [LastingEffect]

  package init(began: [LastingEffect], ceased: [LastingEffect]) {
    (self.began, self.ceased) = (began, ceased)
  }
}

/// The effects that a store's state has last.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables.
@usableFromInline
final class LastingEffects<State>: @unchecked Sendable {
  private let select: @Sendable (State) -> [LastingEffect]
  private(set) var active: [ActiveLastingEffect]

  /// The types of the effects that each of the last commits has ended and begun, and how many.
  private var renewals: [(type: Any.Type, count: Int)] = []

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
  ) -> LastingChange? {
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
    return LastingChange(
      began: active.filter { before[$0.effect.key]?.since != $0.since }.map(\.effect),
      ceased: old.filter { kept[$0.effect.key]?.since != $0.since }.map(\.effect))
  }
}

extension LastingEffects {
  /// The type of an effect that ten commits in succession have ended and begun.
  var restlessType: Any.Type? { renewals.first { $0.count == 10 }?.type }

  /// Counts a commit that ends an effect which the commit before has begun, and begins another one of
  /// its type.
  private func countRenewals(of ceased: [ActiveLastingEffect], by number: Int) {
    let known = renewals
    renewals = []
    for old in ceased where old.since == number - 1 {
      let type = type(of: old.effect.effect) as Any.Type
      if renewals.contains(where: { $0.type == type }) { continue }
      if !active.contains(where: { $0.since == number && isOne($0, of: type) }) { continue }
      renewals.append((type, 1 + (known.first { $0.type == type }?.count ?? 0)))
    }
  }

  private func isOne(_ active: ActiveLastingEffect, of type: Any.Type) -> Bool {
    Swift.type(of: active.effect.effect) == type
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
