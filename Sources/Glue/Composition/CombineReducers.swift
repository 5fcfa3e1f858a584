/// Runs several reducers on the same state, one after the other, as one reducer.
///
/// Each sees what those before it have changed, and their effects come in the same order. Each line
/// of the block is a reducer of the whole state, lifted or not, erased or typed:
///
///     let appReducer: Reducer<AppState> = combineReducers {
///       sessionReducer
///       withKey(\.counter, use: counterReducer)
///       if hasSettings { withKey(\.settings, use: settingsReducer) }
///     }
///
/// The block runs once, when reducers are combined, so an `if`, a `switch` or a `for` decides which
/// reducers there are. No reducers at all change nothing; a block without lines is a warning. Lines
/// are type-checked one by one. A bare closure cannot be one, for Swift takes it for an argument of
/// the line before: write
/// `withKey(\.self) { (state: inout AppState, intent: AppIntent) in … }`.
///
/// The state is changed in place (G10). Combining is associative: nesting makes no difference.
///
/// - Parameter reducers: the reducers, in the order in which they run.
/// - Returns: the reducer that runs them all.
/// - Complexity: that of the reducers; O(1) for each in addition.
@inlinable
public func combineReducers<State>(
  @ReducerBuilder<State> _ reducers: () -> Reducer<State>
) -> Reducer<State> {
  reducers()
}

/// Runs two reducers or more on the same state, one after the other, as one reducer.
///
/// It does what the block does, which is the better form for more than a few: arguments are
/// type-checked all at once. Name the type of the result, `let app: Reducer<App> = …`, or the
/// compiler gives up on as few as six.
///
/// - Parameters:
///   - first: the reducer that runs first.
///   - second: the one that runs next.
///   - more: those that run after these, in their order.
/// - Returns: the reducer that runs them all.
/// - Complexity: that of the reducers; O(1) for each in addition.
@inlinable
public func combineReducers<State>(
  _ first: @escaping Reducer<State>, _ second: @escaping Reducer<State>,
  _ more: Reducer<State>...
) -> Reducer<State> {
  #if DEBUG
    ReducerBuilder.buildFinalResult(([first, second] + more).map { watched($0) })
  #else
    { state, intent in
      var effects = first(&state, intent)
      concatenate(second(&state, intent), to: &effects)
      for reducer in more { concatenate(reducer(&state, intent), to: &effects) }
      return effects
    }
  #endif
}

/// Most reducers have no effects, and the first that has some need not copy them.
@inlinable
func concatenate(_ more: [any Effect], to effects: inout [any Effect]) {
  if effects.isEmpty { effects = more } else { effects += more }
}
