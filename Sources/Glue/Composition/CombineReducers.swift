/// Combines reducers of the same state into one, which runs them in order.
///
/// Each reducer sees what the ones before it changed, and their effects come in the same order.
/// Each line of the block is a reducer of the whole state: lifted or not, erased or typed:
///
///     let appReducer: Reducer<AppState> = combineReducers {
///       sessionReducer
///       withKey(\.counter, use: counterReducer)
///       if hasSettings { withKey(\.settings, use: settingsReducer) }
///     }
///
/// The block runs once, when the reducers are combined, so an `if`, a `switch` or a `for` decides
/// which reducers there are. A combination of no reducers changes nothing; a block without lines
/// doesn't compile. Lines are type-checked one by one. A line can't be a bare closure, because Swift
/// takes that for an argument of the line before: write ``reduce(_:)`` in front.
///
/// The state is changed in place (G10). Combining is associative: nesting makes no difference.
///
/// - Parameter reducers: the reducers, in the order in which they run.
/// - Returns: the reducer that runs them all.
/// - Complexity: that of the reducers; O(1) for each in addition.
@_alwaysEmitIntoClient
public func combineReducers<State>(
  @ReducerBuilder<State> _ reducers: () -> Reducer<State>
) -> Reducer<State> {
  entered(reducers())
}

/// Makes a reducer of all intents from one of a type, to which others change nothing.
///
/// So a closure can be a line of a block, if it names its parameters' types:
///
///     let app: Reducer<AppState> = combineReducers {
///       withKey(\.counter, use: counter)
///       reduce { (state: inout AppState, intent: AppIntent) in
///         if case .reset = intent { state = AppState() }
///         return []
///       }
///     }
///
/// - Parameter reducer: the reducer, of one type of intents or of all.
/// - Returns: the reducer of all intents.
@_alwaysEmitIntoClient
public func reduce<State, I: AnyIntent>(
  _ reducer: @escaping @Sendable (inout State, I) -> [any Effect]
) -> Reducer<State> {
  erased(reducer)
}

/// Combines two or more reducers of the same state into one, which runs them in order.
///
/// The block does the same, and suits more than a few better, because arguments are type-checked
/// all at once. Name the type of the result, `let app: Reducer<App> = …`, or the compiler gives up
/// on as few as six.
///
/// - Parameters:
///   - first: the reducer that runs first.
///   - second: the one that runs next.
///   - more: those that run after these, in their order.
/// - Returns: the reducer that runs them all.
/// - Complexity: that of the reducers; O(1) for each in addition.
@_alwaysEmitIntoClient
public func combineReducers<State>(
  _ first: @escaping Reducer<State>, _ second: @escaping Reducer<State>,
  _ more: Reducer<State>...
) -> Reducer<State> {
  #if DEBUG
    entered(combined(([first, second] + more).map { knowing($0) }[...]))
  #else
    // One closure, not pairs: in more of them, the optimizer doesn't see literal key paths, and a change
    // costs twice as much.
    { state, intent in
      var effects = first(&state, intent)
      concatenate(second(&state, intent), to: &effects)
      for reducer in more { concatenate(reducer(&state, intent), to: &effects) }
      return effects
    }
  #endif
}

/// A combination, whose entry debug builds record, because some of its reducers may not know an intent.
@_alwaysEmitIntoClient @inline(__always)
func entered<State>(_ reducer: @escaping Reducer<State>) -> Reducer<State> {
  #if DEBUG
    return { state, intent in
      note(.entry)
      return reducer(&state, intent)
    }
  #else
    return reducer
  #endif
}

/// Runs two reducers in their order.
///
/// Pairs of pairs cost less than a loop over an array, which would retain each reducer.
@_alwaysEmitIntoClient
func both<State>(
  _ first: @escaping Reducer<State>, _ second: @escaping Reducer<State>
) -> Reducer<State> {
  { state, intent in
    var effects = first(&state, intent)
    concatenate(second(&state, intent), to: &effects)
    return effects
  }
}

/// Runs reducers in their order.
///
/// Halves of halves keep the stack low, however many there are.
@_alwaysEmitIntoClient
func combined<State>(_ reducers: ArraySlice<Reducer<State>>) -> Reducer<State> {
  guard reducers.count > 1 else { return reducers.first ?? { _, _ in [] } }
  let middle = reducers.startIndex + reducers.count / 2
  return both(combined(reducers[..<middle]), combined(reducers[middle...]))
}

/// Most reducers return no effects, and the first that returns some isn't copied.
@_alwaysEmitIntoClient
func concatenate(_ more: [any Effect], to effects: inout [any Effect]) {
  if effects.isEmpty { effects = more } else { effects += more }
}
