internal import Glue

extension TestStore {
  /// Checks that nothing is left that the test has not asserted: the end of a test.
  ///
  /// It cancels the lasting effects, and returns when all tasks rest. An intent that was not
  /// received fails the test, and so does an effect that still waits or runs. Before, advance the
  /// clock until the effect has ended, have the reducer cancel it, or await
  /// ``/Glue/Store/shutdown()`` of the store. A task that a handler has made by `Task { }` fails
  /// the test too, if it waits for the clock after the handler has returned.
  ///
  /// - Parameters:
  ///   - limit: how much real time effects have that run outside of the clock's executor, skipped
  ///     ones included; the store's ``limit``, if nil.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func finish(
    within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    await run(in: "`finish`", at: place) { [store] in store.cancelLastingEffects() }
    if let limit = limit ?? self.limit {
      await wait(atMost: limit) { [store] in await store.settled() }
      await rest(in: "`finish`", at: place)
    }
    checkNothingIsLeft(of: "at the end of the test", at: place)
  }

  /// Runs a part of a test with another exhaustivity.
  ///
  ///     await test.withExhaustivity(.off) { await test.send(SearchIntent.typed("")) { $0.text = "" } }
  ///
  /// With `.off`, intents that have come back and were not received when the part ends are skipped.
  /// With `.on` in a test that need not assert everything, they fail the test. Effects that wait or
  /// run then are neither.
  ///
  /// - Parameters:
  ///   - exhaustivity: whether the part must assert everything that happens.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - body: the part.
  /// - Returns: what the part returns.
  @discardableResult
  public nonisolated(nonsending) func withExhaustivity<Result>(
    _ exhaustivity: Exhaustivity, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
    _ body: nonisolated(nonsending) () async throws -> Result
  ) async rethrows -> Result {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let old = self.exhaustivity
    await begin(exhaustivity)
    defer { self.exhaustivity = old }
    let result = try await body()
    await clock.rest()
    if exhaustivity == .off || old == .off {
      leavePending(before: "before the end of the part", at: place)
    }
    return result
  }

  /// Begins a part with an exhaustivity; one that asserts everything doesn't ask for what came
  /// before.
  private nonisolated(nonsending) func begin(_ exhaustivity: Exhaustivity) async {
    if self.exhaustivity == .off, exhaustivity == .on {
      await clock.rest()
      reported.formUnion(ledger.pending.map(\.number))
      ledger.pending.forEach(goOn)
    }
    self.exhaustivity = exhaustivity
  }

  /// Asserts the state alone, as of the last commit that was asserted or skipped; with
  /// `exhaustivity: .off`, as of the last commit.
  ///
  ///     test.assert { $0.value = 5 }
  ///
  /// - Parameters:
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - expected: sets the expected values. It must not change the state.
  public func assert(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, expected: (inout State) throws -> Void
  ) {
    let actual = state
    var mismatch = Mismatch(isExhaustive: false)
    mismatch.compare(changes: expected, of: actual, actual: actual)
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    fail(mismatch, about: "The state is not the asserted one.", at: place)
  }

  /// Skips the intents that have come back so far, without asserting them.
  ///
  /// It continues from their state, when all tasks rest; ``unasserted`` lists them.
  ///
  /// - Parameters:
  ///   - strict: whether it fails the test if none has come back.
  ///   - fileID: the file that the failure is reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func skipReceived(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    await rest(in: "`skipReceived`", at: place)
    if strict, ledger.pending.isEmpty { failForNothingToSkip("skipReceived", at: place) }
    skip(ledger.pending, at: place)
    problems.check(at: place)
  }

  /// Skips the effects that wait or run now, without asserting their end.
  ///
  /// They continue: the intents that they dispatch later must be received. ``unasserted`` lists
  /// them. An ``/Glue/AsyncThunk`` is no effect, and is not skipped.
  ///
  /// - Parameters:
  ///   - strict: whether it fails the test if none waits or runs.
  ///   - fileID: the file that the failure is reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  public nonisolated(nonsending) func skipInFlight(
    strict: Bool = true,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    await rest(in: "`skipInFlight`", at: place)
    let effects = leftovers.filter { $0.id != .thunk }
    if strict, effects.isEmpty { failForNothingToSkip("skipInFlight", at: place) }
    skip(effects.map(\.line), at: place)
    excused.formUnion(effects.map(\.id))
  }

  private func failForNothingToSkip(_ call: String, at place: Place) {
    fail("\(call) has nothing to skip: leave it out, or say `strict: false`.", at: place)
  }
}
