/// Lifts a reducer of a part to a reducer of the whole.
///
/// The part is changed in place (G10), and nothing else of the whole is touched. To an observer
/// such as `didSet`, a reducer of all intents changes its part each time. A typed one does so only
/// for its type of intents. A closure must name its parameters' types: `{ (part: inout Part, intent:
/// PartIntent) in … }`.
///
/// With an `id`, it reduces only an ``ElementIntent`` of that id. So one feature can be used twice,
/// and two histories don't move together:
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
/// A part with an id owns its effects: see ``PartEffect``.
///
/// - Parameters:
///   - keyPath: the path to the part. It should consist of stored properties: computed and observed
///     ones copy the part when it changes.
///   - id: distinguishes the part from others, and addresses its intents; without it, the part gets
///     the intents as they are.
///   - reducer: a reducer of the part. A typed one gets only its type of intents, and rejects others
///     before anything is read or written.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, of comparing ids and of following the key path.
@_alwaysEmitIntoClient
public func withKey<Whole, Part, ID: Hashable & Sendable, I: AnyIntent>(
  _ keyPath: any WritableKeyPath<Whole, Part> & Sendable, id: ID? = Never?.none,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  located(at: id, narrowing(lifted(to: keyPath, knowing(reducer))))
}

/// Lifts a reducer of a part that may be missing to a reducer of the whole.
///
/// While the part is nil, nothing is written and there are no effects.
///
/// - Parameters:
///   - keyPath: the path to the part.
///   - id: distinguishes the part from others, and addresses its intents; without it, the part gets
///     the intents as they are.
///   - reducer: a reducer of the part. A typed one gets only its type of intents.
/// - Returns: the reducer of the whole.
/// - Complexity: that of the reducer, of comparing ids and of following the key path.
@_alwaysEmitIntoClient
public func withKey<Whole, Part, ID: Hashable & Sendable, I: AnyIntent>(
  _ keyPath: any WritableKeyPath<Whole, Part?> & Sendable, id: ID? = Never?.none,
  use reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> Reducer<Whole> {
  located(at: id, narrowing(lifted(to: keyPath, knowing(reducer))))
}

/// Lifts a reducer of a part, which takes any type of intents.
@_alwaysEmitIntoClient
func lifted<Whole, Part, I>(
  to keyPath: any WritableKeyPath<Whole, Part> & Sendable,
  _ reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> @Sendable (inout Whole, I) -> [any Effect] {
  { whole, intent in reducer(&whole[keyPath: keyPath], intent) }
}

/// Lifts a reducer of an optional part.
///
/// Nothing is written while it is nil, so a computed or observed one is read first.
@_alwaysEmitIntoClient
func lifted<Whole, Part, I>(
  to keyPath: any WritableKeyPath<Whole, Part?> & Sendable,
  _ reducer: @escaping @Sendable (inout Part, I) -> [any Effect]
) -> @Sendable (inout Whole, I) -> [any Effect] {
  let isPlain = isPlainlyStored(keyPath)
  return { whole, intent in
    func reduce(_ part: inout Part?, _ intent: I) -> [any Effect] {
      if part == nil {
        note(.missing)
        return []
      }
      return reducer(&part!, intent)
    }
    if !isPlain && whole[keyPath: keyPath] == nil {
      note(.missing)
      return []
    }
    return reduce(&whole[keyPath: keyPath], intent)
  }
}

/// A reducer of the intents that are addressed to an id, if there is one.
@_alwaysEmitIntoClient
func located<State, ID: Hashable & Sendable>(
  at id: ID?, _ reducer: @escaping Reducer<State>
) -> Reducer<State> {
  guard let id else { return reducer }
  return { state, intent in
    guard let element = arriving(intent, at: ID.self, for: Never.self), element.id == id else {
      return []
    }
    return inside(id, reducer(&state, element.intent))
  }
}
