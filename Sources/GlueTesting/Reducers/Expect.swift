public import Glue

/// Checks a reducer in one expression: from a state, intents lead to this state and these effects.
///
///     expect(
///       reducer, from: AppState(value: 4), when: AppIntent.increment,
///       effects: [AppEffect.playSound]
///     ) { $0.value = 5 }
///
/// If the state or the effects differ, the test fails at this line, and the message lists only the
/// differences. Neither need be `Equatable`. The test also fails if it checks nothing: without an
/// intent, and with a closure that changes nothing although nothing should change. In a debug build
/// it fails for an intent that no reducer knows.
///
/// - Parameters:
///   - reducer: a reducer of all intents.
///   - state: the initial state.
///   - intents: are reduced one after the other.
///   - effects: all effects of the intents, in order.
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - changes: changes the initial state into the expected one.
public func expect<State>(
  _ reducer: (inout State, any Intent) -> [any Effect], from state: State,
  when intents: any Intent..., effects: [any Effect] = [],
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
) {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  check(state, intents, effects, changes, at: place) { state, problems in
    intents.flatMap { intent in
      var effects: [any Effect] = []
      let problem = findUnknownIntent(intent) { effects = reducer(&state, intent) }
      if let problem { problems.append(problem) }
      return effects
    }
  }
}

/// Checks a reducer of one type of intents in one expression, like the form for all intents.
///
///     expect(
///       reducer, from: AppState(value: 4), when: .increment, effects: [AppEffect.playSound]
///     ) { $0.value = 5 }
public func expect<State, I: Intent>(
  _ reducer: (inout State, I) -> [any Effect], from state: State,
  when intents: I..., effects: [any Effect] = [],
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
) {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  check(state, intents, effects, changes, at: place) { state, _ in
    intents.flatMap { reducer(&state, $0) }
  }
}

/// Checks a reducer of one type of intents and one of effects in one expression, like the form for
/// all intents.
///
///     expect(reducer, from: AppState(value: 4), when: .increment, effects: [.playSound]) {
///       $0.value = 5
///     }
public func expect<State, I: Intent, E: Effect>(
  _ reducer: (inout State, I) -> [E], from state: State, when intents: I..., effects: [E] = [],
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
) {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  check(state, intents, effects, changes, at: place) { state, _ in
    intents.flatMap { reducer(&state, $0) }
  }
}

private func check<State>(
  _ start: State, _ intents: [any Intent], _ effects: [any Effect],
  _ changes: ((inout State) throws -> Void)?, at place: Place,
  reduce: (inout State, inout [Problem]) -> [any Effect]
) {
  if intents.isEmpty { return failForNothing("expect", "an intent, by `when:`", at: place) }
  warnOfObjects(in: start, at: place)
  var actual = start
  var problems: [Problem] = []
  let emitted = reduce(&actual, &problems)
  var mismatch = Mismatch()
  for problem in problems { mismatch.add("\(problem)") }
  mismatch.compare(changes: changes, of: start, actual: actual)
  mismatch.compare(expected: effects, actual: emitted)
  let subject = intents.map(text).joined(separator: ", ") + " did not behave as expected."
  guard let message = mismatch.message(about: subject) else { return }
  Failure(message: message, place: place).report(to: .current)
}
