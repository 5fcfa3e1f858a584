// Parts with ids, so that one feature can be used twice.

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
/// Effects are not addressed; they carry the id.
///
/// - Parameters:
///   - keyPath: the path to the part.
///   - id: distinguishes the part from others.
///   - reducer: a reducer of the part. A typed one gets only its type of intents.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, of comparing ids and of following the key path.
@inlinable
public func withKey<Whole, Part, ID: Hashable & Sendable>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID,
  use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of an optional part with an id.
@inlinable
public func withKey<Whole, Part, ID: Hashable & Sendable>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID,
  use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of a part that has an id, which takes one type of intents.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of a part that has an id, which takes one type of intents and one of effects.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent, E: Effect>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [E]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of an optional part with an id, which takes one type of intents.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of an optional part with an id, which takes one type of intents and one of
/// effects.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent, E: Effect>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [E]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// A reducer of the intents that are addressed to an id.
@inlinable
func addressed<State, ID: Hashable & Sendable>(
  to id: ID, _ reducer: @escaping Reducer<State>
) -> Reducer<State> {
  { state, intent in
    guard let element = addressed(intent, to: ID.self, for: Never.self), element.id == id else {
      return []
    }
    return reducer(&state, element.intent)
  }
}
