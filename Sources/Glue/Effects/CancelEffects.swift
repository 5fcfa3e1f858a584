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
