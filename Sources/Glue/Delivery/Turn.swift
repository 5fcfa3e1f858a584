/// The turn of an effect that is more than calls of synchronous handlers.
@usableFromInline
protocol Turn: Sendable {
  /// The effect, for a list of what is queued; nil if the effect engine lists it.
  var unlistedEffect: (any Effect)? { get }

  func take()
}
