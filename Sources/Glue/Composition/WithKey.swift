/// Lifts a reducer of a part to a reducer of the whole.
///
/// The part is changed in place (G10), and nothing else of the whole is touched. To an observer
/// such as `didSet`, a reducer of all intents changes its part each time. A typed one does so only
/// for its type of intents.
///
/// - Parameters:
///   - keyPath: the path to the part. It should consist of stored properties: computed and observed
///     ones copy the part when it changes.
///   - reducer: a reducer of the part. A typed one gets only its type of intents.
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
/// While the part is nil, nothing is written and there are no effects. A closure that fits both a
/// part and an optional one must name its parameters' types: `{ (part: inout Part, intent:
/// PartIntent) in … }`.
///
/// - Parameters:
///   - keyPath: the path to the part.
///   - reducer: a reducer of the part. A typed one gets only its type of intents.
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

/// Lifts a reducer of an optional part, which is read first: nothing is written while it is nil.
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
