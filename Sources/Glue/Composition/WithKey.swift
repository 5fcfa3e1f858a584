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
@_alwaysEmitIntoClient
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
@_alwaysEmitIntoClient
public func withKey<Whole, Part>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  lifted(to: keyPath, watched(reducer))
}

// MARK: - Typed reducers
//
// Disfavored, so that the compiler ignores them once the general form fits. Otherwise each level of
// nested blocks takes ten times as long to compile. An intent of another type is rejected before
// anything is read or written.

/// Lifts a reducer of a part that takes one type of intents.
@_alwaysEmitIntoClient @_disfavoredOverload
public func withKey<Whole, Part, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  narrowing(lifted(to: keyPath, knowing(reducer)))
}

/// Lifts a reducer of a part that may be missing that takes one type of intents.
@_alwaysEmitIntoClient @_disfavoredOverload
public func withKey<Whole, Part, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  narrowing(lifted(to: keyPath, knowing(reducer)))
}

/// Lifts a reducer of a part, which takes any type of intents.
@_alwaysEmitIntoClient
func lifted<Whole, Part, I>(
  to keyPath: any WritableKeyPath<Whole, Part> & Sendable,
  _ reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> @Sendable (inout Whole, I) -> [any Effect] {
  { whole, intent in reducer(&whole[keyPath: keyPath], intent) }
}

/// Lifts a reducer of an optional part, which is read first: nothing is written while it is nil.
@_alwaysEmitIntoClient
func lifted<Whole, Part, I>(
  to keyPath: any WritableKeyPath<Whole, Part?> & Sendable,
  _ reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> @Sendable (inout Whole, I) -> [any Effect] {
  { whole, intent in
    if whole[keyPath: keyPath] == nil {
      note(.missing)
      return []
    }
    return reducer(&whole[keyPath: keyPath]!, intent)
  }
}

// MARK: - Parts with ids, so that one feature can be used twice

/// Lifts a reducer of a part with an id, to which its intents are addressed.
///
/// It reduces only an ``ElementIntent`` of that id. So one feature can be used twice, and two
/// histories don't move together:
///
///     let counters: Reducer<Counters> = combineReducers {
///       withKey(\.left, id: "left", use: undoable(counterReducer, limit: 100))
///       withKey(\.right, id: "right", use: undoable(counterReducer, limit: 100))
///     }
///
///     store.dispatch(ElementIntent(id: "left", intent: CounterIntent.add(1)))
///     store.dispatch(ElementIntent(id: "left", intent: HistoryIntent.undo))
///
/// A view can address its part: ``Store/view(of:id:intent:)``. Use one type of ids a level, such as
/// an enumeration: elements and parts with ids of the same type and value get the same intents.
/// The part's effects belong to it, as those of an element do (see ``PartEffect``).
///
/// - Parameters:
///   - keyPath: the path to the part.
///   - id: distinguishes the part from others.
///   - reducer: a reducer of the part. A typed one gets only its type of intents.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, of comparing ids and of following the key path.
@_alwaysEmitIntoClient
public func withKey<Whole, Part, ID: Hashable & Sendable>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID,
  use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of an optional part with an id.
@_alwaysEmitIntoClient
public func withKey<Whole, Part, ID: Hashable & Sendable>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID,
  use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of a part that has an id, which takes one type of intents.
@_alwaysEmitIntoClient @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of an optional part with an id, which takes one type of intents.
@_alwaysEmitIntoClient @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// A reducer of the intents that are addressed to an id.
@_alwaysEmitIntoClient
func addressed<State, ID: Hashable & Sendable>(
  to id: ID, _ reducer: @escaping Reducer<State>
) -> Reducer<State> {
  { state, intent in
    guard let element = addressed(intent, to: ID.self, for: Never.self), element.id == id else {
      return []
    }
    return inside(id, reducer(&state, element.intent))
  }
}
