/// Lifts a reducer of a part to a reducer of the whole.
///
/// The part is changed in place (G10), and of the whole nothing else is touched. A reducer of all
/// intents counts as changing its part each time, for an observer such as `didSet`; a typed one
/// only for the intents of its type.
///
/// - Parameters:
///   - keyPath: where the part is. It should lead through stored properties: those that are
///     computed or observed copy the part when it is changed.
///   - reducer: a reducer of the part. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and of following the key path.
@inlinable
public func withKey<Whole, Part>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  lifted(to: keyPath, watched(reducer))
}

/// Lifts a reducer of a part that may be missing to a reducer of the whole.
///
/// While the part is nil nothing is written and there are no effects. A closure that fits both a
/// part and an optional one has to name its parameter's type:
/// `{ (part: inout Part, intent: PartIntent) in … }`.
///
/// - Parameters:
///   - keyPath: where the part is.
///   - reducer: a reducer of the part. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, and of following the key path.
@inlinable
public func withKey<Whole, Part>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  lifted(to: keyPath, watched(reducer))
}

/// Lifts a reducer of a part, which takes any type of intents.
@inlinable
func lifted<Whole, Part, I>(
  to keyPath: any WritableKeyPath<Whole, Part> & Sendable,
  _ reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> @Sendable (inout Whole, I) -> [any Effect] {
  { whole, intent in reducer(&whole[keyPath: keyPath], intent) }
}

/// Lifts a reducer of a part that may be missing; it is read first, so that nothing is written then.
@inlinable
func lifted<Whole, Part, I>(
  to keyPath: any WritableKeyPath<Whole, Part?> & Sendable,
  _ reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> @Sendable (inout Whole, I) -> [any Effect] {
  { whole, intent in
    if whole[keyPath: keyPath] == nil {
      note(.known)
      return []
    }
    return reducer(&whole[keyPath: keyPath]!, intent)
  }
}
