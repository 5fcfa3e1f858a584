/// An effect of a part of the state: what the part's reducer returned, and where the part is.
///
/// `forEach` and `withKey(_:id:use:)` make it of each effect that the part's reducer returns. Its
/// handlers get the effect itself, and need not know the part: what they dispatch goes to the part
/// whose effect it is, in an ``ElementIntent``, unless the intent's type ``Intent/leavesParts``.
///
/// A test of the whole writes it with ``Effect/inside(_:)``:
///
///     await test.send(TodoIntent.share, in: 2, effects: [Share().inside(2)])
///
/// Two are equal if their paths and effects are; effects that are not `Equatable` never are.
public struct PartEffect: Effect, Equatable {
  /// An object, so that an array of effects holds it without a box of its own.
  private let content: Content

  private final class Content: Sendable {
    let id: any Hashable & Sendable
    let effect: any Effect

    /// The same effect as that of a part inside this one, if it is.
    let inner: PartEffect?

    init(_ id: any Hashable & Sendable, _ effect: any Effect, _ inner: PartEffect?) {
      (self.id, self.effect, self.inner) = (id, effect, inner)
    }
  }

  init(_ id: any Hashable & Sendable, _ effect: any Effect) {
    let inner = exact(effect, as: PartEffect.self)
    content = Content(id, inner?.effect ?? effect, inner)
  }

  private var inner: PartEffect? { content.inner }

  /// The effect that handlers get.
  public var effect: any Effect { content.effect }

  /// The ids that lead to the part, the outermost first.
  public var path: [any Hashable & Sendable] {
    Array(sequence(first: self) { $0.inner }.lazy.map(\.content.id))
  }

  /// Compares the paths and the effects.
  public static func == (a: PartEffect, b: PartEffect) -> Bool {
    AnyHashable(a.content.id) == AnyHashable(b.content.id) && a.inner == b.inner
      && (a.inner != nil || areEqual(a.effect, b.effect))
  }
}

extension PartEffect: CustomReflectable {
  /// The effect and the path.
  public var customMirror: Mirror {
    Mirror(self, children: ["effect": effect, "path": path], displayStyle: .struct)
  }
}

extension PartEffect {
  /// An intent that the effect dispatches: for its part, or for the whole.
  package func address(_ intent: any Intent) -> any Intent {
    type(of: intent).leavesParts ? intent : addressToPart(intent)
  }

  private func addressToPart(_ intent: any Intent) -> any Intent {
    addressed(inner?.addressToPart(intent) ?? intent, to: content.id)
  }

  /// An id of the part as one of the whole.
  func key(_ own: EffectID) -> EffectID { (inner?.key(own) ?? own).inside(content.id) }

  /// The id in the whole of the part's effects without a policy.
  var keyOfUnscheduled: EffectID { key(EffectID(Unscheduled())) }
}

/// The id that the effects of a part share that have no policy, so that they end with the part.
private struct Unscheduled: Hashable, Sendable, CustomStringConvertible {
  var description: String { "unscheduled" }
}

extension Effect {
  /// This effect as that of a part: what the reducer of the whole returns where that of the part
  /// returns this.
  ///
  ///     #expect(list(&state, ElementIntent(id: 2, intent: TodoIntent.share)) == [Share().inside(2)])
  ///
  /// The id of a ``ScheduledEffect`` or a ``CancelEffects`` becomes a ``PartID``, and a ``Send``
  /// sends an ``ElementIntent``. Any other effect becomes a ``PartEffect``.
  ///
  /// - Parameter path: the ids that lead to the part, the outermost first.
  /// - Returns: the effect of the whole.
  public func inside(_ path: any Hashable & Sendable...) -> any Effect { inside(path: path) }

  /// This effect as that of a part, or of the whole if the path is empty.
  package func inside(path: [any Hashable & Sendable]) -> any Effect {
    path.reversed().reduce(self as any Effect) { moved($0, into: $1) }
  }
}

/// The plain effect that handlers get, without its policy and its part.
package func plainEffect(_ effect: any Effect) -> any Effect {
  let effect = exact(effect, as: ScheduledEffect.self)?.effect ?? effect
  return exact(effect, as: PartEffect.self)?.effect ?? effect
}

/// An effect as its part's reducer returned it, and the ids that lead to the part.
package func ownEffect(
  _ effect: any Effect
) -> (effect: any Effect, path: [any Hashable & Sendable]) {
  let scheduled = exact(effect, as: ScheduledEffect.self)
  guard let part = exact(scheduled?.effect ?? effect, as: PartEffect.self) else {
    return (effect, [])
  }
  let path = part.path
  guard let scheduled else { return (part.effect, path) }
  return (part.effect.scheduled(scheduled.policy, id: own(scheduled.id, in: path)), path)
}

/// The effects of a part as those of the whole.
@_alwaysEmitIntoClient @inline(__always)
func inside<ID: Hashable & Sendable>(_ id: ID, _ effects: consuming [any Effect]) -> [any Effect] {
  effects.isEmpty ? effects : moved(effects, into: id)
}

/// Moves each effect, in the same array.
@usableFromInline
func moved<ID: Hashable & Sendable>(
  _ effects: consuming [any Effect], into id: ID
) -> [any Effect] {
  for index in effects.indices { effects[index] = moved(effects[index], into: id) }
  return effects
}

private func moved(_ effect: any Effect, into id: any Hashable & Sendable) -> any Effect {
  if !isScheduling(effect) { return PartEffect(id, effect) }
  if let scheduled = exact(effect, as: ScheduledEffect.self) {
    return ScheduledEffect(
      effect: moved(scheduled.effect, into: id), policy: scheduled.policy,
      key: scheduled.key.inside(id))
  }
  if let cancellation = exact(effect, as: CancelEffects.self) {
    return CancelEffects(cancellation.key.inside(id), cancellation.cancelsWholePart)
  }
  guard let send = exact(effect, as: Send.self) else { return PartEffect(id, effect) }
  return Send(PartEffect(id, send).address(send.intent))
}

extension EffectID {
  /// An id of a part as one of the whole.
  func inside(_ part: any Hashable & Sendable) -> EffectID {
    func make(_ value: some Hashable & Sendable) -> EffectID {
      EffectID(value, isLasting: isLasting)
    }
    let value = nest(value, in: part)
    return make(value)
  }
}
