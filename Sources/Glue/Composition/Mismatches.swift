// Unavailable forms that match calls which don't fit, so that the compiler names the mistake
// instead of listing every form. It considers them only after all others have failed.

/// A part of another type than the reducer's.
@available(
  *, unavailable,
  message: """
    the key path leads to another type than the reducer reduces, or to a constant; or the reducer \
    doesn't take an Intent and return an array of effects, [] for none
    """
)
@_disfavoredOverload
public func withKey<Whole, Value, Part, ID: Hashable & Sendable, I, Effects>(
  _ keyPath: any KeyPath<Whole, Value> & Sendable, id: ID? = Never?.none,
  use reducer: @escaping @Sendable (inout Part, I) -> Effects
) -> Reducer<Whole> {
  { _, _ in [] }
}

/// A collection of elements of another type than the reducer's, or no collection.
@available(
  *, unavailable,
  message: """
    the key path has to lead to an array of Identifiable elements, or a dictionary, of the type \
    that the reducer reduces; the reducer has to take an Intent and return an array of effects, [] \
    for none
    """
)
@_disfavoredOverload
public func forEach<Whole, Value, Element, I, Effects>(
  _ keyPath: any KeyPath<Whole, Value> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> Effects
) -> Reducer<Whole> {
  { _, _ in [] }
}
