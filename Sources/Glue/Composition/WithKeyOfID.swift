// Parts that are addressed, so that one feature can be used twice.

/// Lifts a reducer of a part that has an id, by which its intents are addressed.
///
/// It reduces an ``ElementIntent`` of that id alone, so one feature can be used twice, and two
/// histories do not move together:
///
///     let counters: Reducer<Counters> = combineReducers {
///       withKey(\.left, id: "left", use: undoable(counterReducer, limit: 100))
///       withKey(\.right, id: "right", use: undoable(counterReducer, limit: 100))
///     }
///
///     store.dispatch(ElementIntent(id: "left", intent: CounterIntent.add(1)))
///     store.dispatch(ElementIntent(id: "left", intent: HistoryIntent.undo))
///
/// A view addresses its part by itself: ``Store/view(of:id:intent:)``. Use one type of ids a level,
/// such as an enumeration: whatever a state has of the same type and value, an element's id or a
/// part's, gets the same intents. Effects are not addressed: they carry the id themselves.
///
/// - Parameters:
///   - keyPath: where the part is.
///   - id: tells it from other parts.
///   - reducer: a reducer of the part. Typed ones get the intents of their type alone.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, of comparing ids and of following the key path.
@inlinable
public func withKey<Whole, Part, ID: Hashable & Sendable>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID,
  use reducer: @escaping Reducer<Part>
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of a part that has an id and may be missing.
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

/// Lifts a reducer of a part that has an id and may be missing, which takes one type of intents.
@inlinable @_disfavoredOverload
public func withKey<Whole, Part, ID: Hashable & Sendable, I: Intent>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  addressed(to: id, withKey(keyPath, use: reducer))
}

/// Lifts a reducer of a part that has an id and may be missing, which takes one type of intents and
/// one of effects.
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
