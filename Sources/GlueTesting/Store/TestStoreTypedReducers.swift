public import Glue

extension TestStore {
  /// Makes a store under test from a reducer of one type of intents.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - clock: what the effects wait on.
  ///   - exhaustivity: whether what is not asserted fails the test.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public convenience init<I: Intent>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [any Effect],
    middleware: [Middleware<State>] = [], clock: TestClock = TestClock(),
    exhaustivity: Exhaustivity = .on, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      state: state, reducer: withKey(\.self, use: reducer), middleware: middleware, clock: clock,
      exhaustivity: exhaustivity, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Makes a store under test from a reducer of one type of intents and one of effects.
  ///
  /// - Parameters:
  ///   - state: the state to begin with.
  ///   - reducer: decides what each intent changes, and its effects.
  ///   - middleware: stands between `dispatch` and the reducer; the first one gets an intent first.
  ///   - clock: what the effects wait on.
  ///   - exhaustivity: whether what is not asserted fails the test.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public convenience init<I: Intent, E: Effect>(
    state: State, reducer: @escaping @Sendable (inout State, I) -> [E],
    middleware: [Middleware<State>] = [], clock: TestClock = TestClock(),
    exhaustivity: Exhaustivity = .on, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    self.init(
      state: state, reducer: withKey(\.self, use: reducer), middleware: middleware, clock: clock,
      exhaustivity: exhaustivity, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
