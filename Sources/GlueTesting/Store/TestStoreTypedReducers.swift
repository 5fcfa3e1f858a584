public import Glue

extension TestStore {
  /// Creates a store under test with a reducer of one type of intents, like the form for all
  /// intents.
  ///
  /// An intent of another type that reaches the reducer fails the test when it is asserted.
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], monitors: [any Monitor<State>] = [],
    lasting: (@Sendable (State) -> [LastingEffect])? = nil, began: [LastingEffect] = [],
    unfinished: [any Effect] = [], age: Duration = .zero, clock: TestClock = TestClock(),
    exhaustivity: Exhaustivity = .on,
    expecting problems: [Problem] = [], fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    self.init(
      state, reduce(reducer), of: KnownIntents(I.self), middleware, monitors, lasting,
      began, (unfinished, age), clock, exhaustivity, problems, place)
  }
}
