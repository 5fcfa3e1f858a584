/// An effect that lasts for as long as the state says so: a poll, a tail of the selected file, a
/// connection.
///
/// No reducer returns it: a store's `lasting:` is a pure function of the state that says which ones
/// last now. The store starts, changes and stops them as that varies, whatever has changed the
/// state, so undo and a state that was restored need nothing special:
///
///     let store = Store(
///       state: Tower(), reducer: tower,
///       lasting: { state in
///         (state.isPolling ? [WatchEffect.poll(every: state.interval).lasting(id: "poll")] : [])
///           + (state.log.map { [WatchEffect.tail($0).lasting(id: "tail")] } ?? [])
///       })
///
/// - It is an asynchronous handler's business: each that handles the effect's type runs it once, in
///   a task, for as long as it is among those that last. A handler that is added later runs what
///   lasts then.
/// - After each commit the set is compared with the one before. Of the same id and an equal effect,
///   one goes on untouched. One that is gone, or has another effect, is cancelled at that commit:
///   nothing that it dispatches is reduced any more (G11). A new one starts after the commit's own
///   effects, in the order of the array, as soon as no task of a lasting effect of its id is left,
///   so that there are never two of an id.
/// - One whose tasks have returned is over. It starts again only after a commit without its id, or
///   with another effect.
/// - Its id is apart from those of scheduled effects: no policy and no ``CancelEffects`` concerns
///   it. ``Store/settled()`` and ``Store/perform(_:)`` do not wait for it, ``Store/shutdown()`` and
///   the store's end cancel it.
///
/// Two are equal if their ids and effects are.
public struct LastingEffect: Equatable, Sendable {
  /// What handlers get.
  public let effect: any Effect

  /// What tells it from others that last at the same time.
  public var id: any Hashable & Sendable { key.value }

  let key: EffectID

  /// Compares ids and effects.
  public static func == (a: LastingEffect, b: LastingEffect) -> Bool {
    a.key == b.key && areEqual(a.effect, b.effect)
  }
}

extension Effect where Self: Equatable {
  /// This effect, to last for as long as a store's `lasting:` returns it.
  ///
  /// A ``ScheduledEffect``, a ``CancelEffects`` and a ``Send`` do not last.
  ///
  /// - Parameter id: tells it from others that last at the same time. Ids and effects are compared,
  ///   and ids of effects that begin to last are described, while the store is locked, so their
  ///   `==`, `hash` and `description` must be pure (G7).
  /// - Returns: a value for a store's `lasting:` to return.
  public func lasting(id: some Hashable & Sendable) -> LastingEffect {
    if isScheduling(self) { stopForLastingWork("\(Self.self)") }
    return LastingEffect(effect: self, key: EffectID(id, isLasting: true))
  }
}

/// An effect's stay among those that last.
struct LastingStay: Sendable {
  let effect: LastingEffect

  /// The number of the commit that has begun it; 0 is the first state.
  let since: Int
}

/// Which effects a commit has begun and ended.
@usableFromInline
struct LastingChange: Sendable {
  let began: [LastingEffect]
  let ceased: [LastingEffect]
}

/// The effects that last.
@usableFromInline
struct LastingEffects<State>: Sendable {
  private let select: @Sendable (State) -> [LastingEffect]
  private(set) var stays: [LastingStay]

  @usableFromInline
  init(in state: State, _ select: @escaping @Sendable (State) -> [LastingEffect]) {
    self.select = select
    let effects = select(state)
    stopForEqualIDs(in: effects)
    stays = effects.map { LastingStay(effect: $0, since: 0) }
  }

  /// Compares the effects that last now with those before.
  ///
  /// - Parameters:
  ///   - state: the state after a commit.
  ///   - number: the number of that commit.
  ///   - deferred: takes what is to be released unlocked.
  /// - Returns: what has changed, if anything.
  /// - Complexity: O(*n*) in the number of effects that last.
  mutating func update(
    for state: State, commit number: Int, _ deferred: inout [Deferred]
  ) -> LastingChange? {
    let effects = select(state)
    deferred.append(.release(effects))
    if effects == stays.map(\.effect) { return nil }
    stopForEqualIDs(in: effects)
    let old = stays
    deferred.append(.release(old))
    let before = Dictionary(uniqueKeysWithValues: old.map { ($0.effect.key, $0) })
    stays = effects.map { effect in
      if let stay = before[effect.key], stay.effect == effect { return stay }
      return LastingStay(effect: effect, since: number)
    }
    let kept = Dictionary(uniqueKeysWithValues: stays.map { ($0.effect.key, $0.since) })
    return LastingChange(
      began: stays.filter { before[$0.effect.key]?.since != $0.since }.map(\.effect),
      ceased: old.filter { kept[$0.effect.key] != $0.since }.map(\.effect))
  }
}

private func stopForEqualIDs(in effects: [LastingEffect]) {
  if effects.count < 2 { return }
  var known: [EffectID: LastingEffect] = [:]
  for effect in effects {
    if let other = known.updateValue(effect, forKey: effect.key) {
      stopForTwoLastingEffects(
        ofTypes: "\(type(of: other.effect))", "\(type(of: effect.effect))",
        id: "\(type(of: effect.id))")
    }
  }
}

extension EffectEngine {
  /// Adds an effect that begins to last.
  mutating func begin(_ stay: LastingStay, to route: Route, in runner: EffectRunner) -> EffectRun {
    let run = EffectRun(
      stay.effect.effect, Schedule(id: stay.effect.key, policy: .replacing), to: route,
      from: Origin(cause: .lasting("\(stay.effect.id)", sinceCommit: stay.since), runner: runner),
      in: runner)
    run.isWatched = isWatched
    add(run, to: group(of: stay.effect.key))
    return run
  }
}
