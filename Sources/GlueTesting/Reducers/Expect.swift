public import Glue

/// Checks in one expression what a reducer does: given a state, when intents come, then the state
/// is this and the effects are these.
///
///     expect(
///       reducer, from: AppState(value: 4), when: AppIntent.increment,
///       effects: [AppEffect.playSound]
///     ) { $0.value = 5 }
///
/// If the state or the effects are others, the test fails where this is written, with what differs
/// and nothing else. Neither need be `Equatable`. It also fails where it checks nothing: without an
/// intent, and with a closure that changes nothing where nothing changes.
///
/// - Parameters:
///   - reducer: takes all intents.
///   - state: what the reducer is given first.
///   - intents: are reduced one after the other.
///   - effects: all that the intents should have, in order.
///   - fileID: the file that failures are reported in, with `filePath`.
///   - filePath: the path of that file.
///   - line: the line in it.
///   - column: the column in that line.
///   - changes: makes the first state into the last one that is expected.
public func expect<State>(
  _ reducer: (inout State, any Intent) -> [any Effect], from state: State,
  when intents: any Intent..., effects: [any Effect] = [],
  fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
  column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
) {
  let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
  check(state, intents, effects, changes, at: place) { state in
    intents.flatMap { reducer(&state, $0) }
  }
}

/// Checks in one expression what a reducer of one type of intents does, as the form for all does.
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
  check(state, intents, effects, changes, at: place) { state in
    intents.flatMap { reducer(&state, $0) }
  }
}

/// Checks in one expression what a reducer of one type of intents and one of effects does, as the
/// form for all does.
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
  check(state, intents, effects, changes, at: place) { state in
    intents.flatMap { reducer(&state, $0) }
  }
}

private func check<State>(
  _ start: State, _ intents: [any Intent], _ effects: [any Effect],
  _ changes: ((inout State) throws -> Void)?, at place: Place,
  reduce: (inout State) -> [any Effect]
) {
  if intents.isEmpty { return failForNothing("expect", "an intent, by `when:`", at: place) }
  warnOfObjects(in: start, at: place)
  var actual = start
  let emitted = reduce(&actual)
  var mismatch = Mismatch()
  mismatch.compare(changes: changes, of: start, actual: actual)
  mismatch.compare(expected: effects, actual: emitted)
  let subject = intents.map(text).joined(separator: ", ") + " did not do what is expected."
  guard let message = mismatch.message(about: subject) else { return }
  Failure(message: message, place: place).report(to: .current)
}
