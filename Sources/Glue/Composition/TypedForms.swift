// The combinators' forms for typed reducers; the general forms document what they promise.
//
// They are disfavored, so that the compiler ignores them once the general form fits. Otherwise each
// level of nested blocks takes ten times as long to compile. An intent of another type is rejected
// before anything is read or written.

/// Lifts a reducer of a part that takes one type of intents.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  erased(lifted(to: keyPath, reducer))
}

/// Lifts a reducer of a part that takes one type of intents and one of effects.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, I: Intent, E: Effect>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> [E]
) -> Reducer<Whole> {
  erased(lifted(to: keyPath, widened(reducer)))
}

/// Lifts a reducer of a part that may be missing that takes one type of intents.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  erased(lifted(to: keyPath, reducer))
}

/// Lifts a reducer of a part that may be missing that takes one type of intents and one of effects.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, I: Intent, E: Effect>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> [E]
) -> Reducer<Whole> {
  erased(lifted(to: keyPath, widened(reducer)))
}

/// Lifts a reducer of a dictionary's elements that takes one type of intents.
@inlinable @_disfavoredOverload
public func forEach<Whole, ID: Hashable & Sendable, Element, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, [ID: Element]> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> [any Effect]
) -> Reducer<Whole> {
  elements(of: keyPath, as: { recognized($0, as: I.self) }, use: reducer)
}

/// Lifts a reducer of a dictionary's elements that takes one type of intents and one of effects.
@inlinable @_disfavoredOverload
public func forEach<Whole, ID: Hashable & Sendable, Element, I: Intent, E: Effect>(
  _ keyPath: any WritableKeyPath<Whole, [ID: Element]> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> [E]
) -> Reducer<Whole> {
  elements(of: keyPath, as: { recognized($0, as: I.self) }, use: widened(reducer))
}

/// Lifts a reducer of an array's elements that takes one type of intents.
@inlinable @_disfavoredOverload
public func forEach<Whole, Element: Identifiable & SendableMetatype, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, [Element]> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> [any Effect]
) -> Reducer<Whole> where Element.ID: Sendable {
  elements(of: keyPath, as: { recognized($0, as: I.self) }, use: reducer)
}

/// Lifts a reducer of an array's elements that takes one type of intents and one of effects.
@inlinable @_disfavoredOverload
public func forEach<Whole, Element: Identifiable & SendableMetatype, I: Intent, E: Effect>(
  _ keyPath: any WritableKeyPath<Whole, [Element]> & Sendable,
  use reducer: @escaping @Sendable (inout Element, I) -> [E]
) -> Reducer<Whole> where Element.ID: Sendable {
  elements(of: keyPath, as: { recognized($0, as: I.self) }, use: widened(reducer))
}

/// Lifts a reducer of one type of intents to a reducer of a history; only these are recorded.
@_disfavoredOverload
public func undoable<State, I: Intent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect],
  limit: Int,
  group: @escaping @Sendable (any Intent) -> (any Hashable & Sendable)? = { _ in nil },
  filter: @escaping @Sendable (any Intent) -> Bool = { _ in true }
) -> Reducer<History<State>> {
  undoable(
    erased(reducer), limit: limit, group: group,
    filter: { narrowed($0, to: I.self) != nil && filter($0) })
}

/// Lifts a reducer of one type of intents and of effects to a reducer of a history; only these
/// intents are recorded.
@_disfavoredOverload
public func undoable<State, I: Intent, E: Effect>(
  _ reducer: @escaping @Sendable (inout State, I) -> [E],
  limit: Int,
  group: @escaping @Sendable (any Intent) -> (any Hashable & Sendable)? = { _ in nil },
  filter: @escaping @Sendable (any Intent) -> Bool = { _ in true }
) -> Reducer<History<State>> {
  undoable(
    erased(reducer), limit: limit, group: group,
    filter: { narrowed($0, to: I.self) != nil && filter($0) })
}
