/// Runs several reducers on the same state, one after the other, as one reducer.
///
/// Each sees what those before it have changed, and their effects come in the same order. No
/// reducers at all change nothing. Typed reducers of the whole state enter by
/// `withKey(\.self, use:)`, those of its parts by their key:
///
///     let appReducer: Reducer<AppState> = combineReducers(
///       withKey(\.counter, use: counterReducer),
///       withKey(\.settings, use: settingsReducer))
///
/// The state is changed in place (G10). Combining is associative: nesting makes no difference.
///
/// - Parameter reducers: the reducers, in the order in which they run.
/// - Returns: the reducer that runs them all.
/// - Complexity: that of the reducers; O(1) for each in addition.
@inlinable
public func combineReducers<State>(_ reducers: Reducer<State>...) -> Reducer<State> {
  { state, intent in
    var effects: [any Effect] = []
    for reducer in reducers {
      let more = reducer(&state, intent)
      if effects.isEmpty { effects = more } else { effects += more }
    }
    return effects
  }
}
