/// Cancels the queued, waiting and running effects that were scheduled with an id, or in a part.
///
///     return [CancelEffects(id: "search")]
///
/// The commit whose reducer returns it cancels them. From then on no intent that the effects
/// dispatch is reduced (G11), and those that haven't started never do. Of the same array, it
/// cancels only the effects before it. The store handles it, so no handler gets it. It doesn't
/// affect an effect that had ended before, or its kept callback. An id is compared with its type: a
/// `Substring` cancels nothing that was scheduled with a `String`.
public struct CancelEffects: Effect, Hashable {
  /// The id of the effects, or the part that their ids lie in.
  public var id: any Hashable & Sendable { key.value }

  /// Whether ``id`` is a part, of which all effects are canceled.
  public let cancelsWholePart: Bool

  let key: EffectID

  /// Names the effects to cancel; if there are none, it is a no-op.
  public init(id: some Hashable & Sendable) {
    key = EffectID(id)
    cancelsWholePart = false
  }

  /// Names a part, to cancel all of its effects, and those of its parts.
  ///
  /// It cancels the effects that the part's reducer has returned, scheduled or not, and those whose
  /// ``PartID`` lies in the part. It doesn't cancel those that last, nor calls of synchronous handlers
  /// for effects without a policy, which follow their commit at once.
  ///
  /// A reducer returns it where it removes the part, because the store doesn't see that. That is the
  /// reducer of the whole: inside a part, ids are the part's own, so an element can't name itself.
  /// Undoing a step emits no effects, so it cancels none. Use a ``LastingEffect`` for work that must
  /// end whenever its part goes, also by undo and by a restored state.
  ///
  /// - Complexity: O(*n*) in the number of effects that it cancels. The first one of a store also
  ///   looks at all ids with effects that haven't ended.
  public init(part: some Hashable & Sendable) {
    key = EffectID(part)
    cancelsWholePart = true
  }

  init(_ key: EffectID, _ cancelsWholePart: Bool) {
    (self.key, self.cancelsWholePart) = (key, cancelsWholePart)
  }
}

extension CancelEffects: CustomReflectable {
  /// The id, as `id` or `part`.
  public var customMirror: Mirror {
    Mirror(self, children: [cancelsWholePart ? "part" : "id": id], displayStyle: .struct)
  }
}
