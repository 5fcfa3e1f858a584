/// Cancels the effects that were scheduled with an id, or in a part: queued, waiting and running
/// ones.
///
///     return [CancelEffects(id: "search")]
///
/// That happens at the commit whose reducer returns it: from then on nothing that the effects
/// dispatch is reduced (G11), and those that have not started never do. Of the same array, only
/// what comes before it is cancelled. It is the store's business, so no handler gets it. What an
/// effect that was over before has kept, such as its callback, is not concerned. An id is compared
/// with its type: a `Substring` cancels nothing that was scheduled with a `String`.
public struct CancelEffects: Effect, Hashable {
  /// What the effects were scheduled with, or the part that their ids lie in.
  public var id: any Hashable & Sendable { key.value }

  /// Whether ``id`` is a part.
  public let isPart: Bool

  let key: EffectID

  /// Names the effects to cancel; if there are none, nothing happens.
  public init(id: some Hashable & Sendable) {
    key = EffectID(id)
    isPart = false
  }

  /// Names a part, to cancel all effects whose ``PartID`` lies in it, at any depth.
  ///
  /// A reducer returns it where it removes the part, because the store doesn't see that. Undoing a
  /// step emits no effects, so it cancels none: what has to end whenever its part goes, by undo and
  /// by a restored state too, is a ``LastingEffect``.
  ///
  /// - Complexity: O(*n*) in the number of ids with effects that haven't ended.
  public init(part: some Hashable & Sendable) {
    key = EffectID(part)
    isPart = true
  }
}
