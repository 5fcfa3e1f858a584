// Calls that don't fit: with these the compiler names the mistake, and not each form of a combinator.
// Being unavailable, they are looked at once all other forms have failed.

/// A part that isn't what the reducer reduces.
@available(
  *, unavailable,
  message: "the key path leads to another type than the reducer reduces, or to a constant"
)
@_disfavoredOverload
public func withKey<Whole, Value, Part, I, Effects>(
  _ keyPath: any KeyPath<Whole, Value> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> Effects
) -> Reducer<Whole> {
  { _, _ in [] }
}

/// A part with an id that isn't what the reducer reduces.
@available(
  *, unavailable,
  message: "the key path leads to another type than the reducer reduces, or to a constant"
)
@_disfavoredOverload
public func withKey<Whole, Value, Part, ID: Hashable & Sendable, I, Effects>(
  _ keyPath: any KeyPath<Whole, Value> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> Effects
) -> Reducer<Whole> {
  { _, _ in [] }
}

/// A collection whose elements aren't what the reducer reduces, or no collection.
@available(
  *, unavailable,
  message: """
    the key path has to lead to an array of Identifiable elements, or a dictionary, of the type \
    that the reducer reduces
    """
)
@_disfavoredOverload
public func forEach<Whole, Value, Element, I, Effects>(
  _ keyPath: any KeyPath<Whole, Value> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> Effects
) -> Reducer<Whole> {
  { _, _ in [] }
}
