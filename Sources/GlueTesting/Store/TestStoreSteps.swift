public import Glue

extension TestStore {
  /// Dispatches an intent and asserts what it does.
  ///
  ///     await test.send(AppIntent.increment, effects: [AppEffect.playSound]) { $0.value = 5 }
  ///
  /// All that has happened before must have been received. An intent that a middleware drops has
  /// changed nothing; those that it passes on instead, and those that a thunk dispatches, are to be
  /// received. It returns when all tasks rest.
  ///
  /// - Parameters:
  ///   - intent: what should happen.
  ///   - effects: all that the reducer should emit, in order, scheduled ones with their policies.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - changes: makes the state before into the one that is expected.
  public nonisolated(nonsending) func send(
    _ intent: any Intent, effects: [any Effect] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: @escaping (inout State) -> Void = { _ in }
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    isFinished = false
    await clock.rest()
    leavePending(before: "before `send` of \(text(of: intent))", at: place)
    await clock.ownExecutor.run { [store] in store.dispatch(intent) }
    await clock.rest()
    let step = Step(name: text(of: intent), effects: effects, changes: changes, place: place)
    if let commit = ledger.pending.first, commit.cause == .outside,
      isSame(commit.intent, intent)
    {
      assert(step, ofNext: commit, named: step.name)
    } else {
      assertNothingHappened(step)
    }
  }

  /// Asserts the next intent that came back from an effect, and what it did.
  ///
  ///     await test.receive(SearchIntent.found([])) { $0.isSearching = false }
  ///
  /// Intents are received in the order of their commits. If none comes although all tasks rest, the
  /// test fails; it does not wait. With `exhaustivity: .off` those before the one that is asserted
  /// are skipped.
  ///
  /// - Parameters:
  ///   - intent: what should have been dispatched.
  ///   - effects: all that the reducer should emit, in order, scheduled ones with their policies.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - changes: makes the state before into the one that is expected.
  public nonisolated(nonsending) func receive(
    _ intent: any Intent, effects: [any Effect] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: @escaping (inout State) -> Void = { _ in }
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step(
      name: text(of: intent), intent: intent, effects: effects, changes: changes, place: place)
    await receive(step) { isSame($0, intent) }
  }

  /// Asserts that the next intent that came back is one of a type, and what it did.
  ///
  ///     await test.receive(SearchIntent.self, where: \.isFailure) { $0.isSearching = false }
  ///
  /// - Parameters:
  ///   - type: the type of what should have been dispatched.
  ///   - condition: what it must satisfy; nothing unless it is given.
  ///   - effects: all that the reducer should emit, in order, scheduled ones with their policies.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - changes: makes the state before into the one that is expected.
  public nonisolated(nonsending) func receive<I: Intent>(
    _ type: I.Type, where condition: ((I) -> Bool)? = nil, effects: [any Effect] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: @escaping (inout State) -> Void = { _ in }
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let name = "a \(type)" + (condition == nil ? "" : " that satisfies the condition")
    let step = Step(name: name, effects: effects, changes: changes, place: place)
    await receive(step) { intent in (intent as? I).map { condition?($0) ?? true } ?? false }
  }

  /// Checks that nothing is left that the test has not asserted: the end of a test.
  ///
  /// It returns when all tasks rest. An intent that was not received fails the test, and so does an
  /// effect that still waits or runs: advance the clock until it is over, have the reducer cancel
  /// it, or await ``/Glue/Store/shutdown()`` of the store before.
  public nonisolated(nonsending) func finish(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    await clock.rest()
    checkNothingIsLeft(of: "at the end of the test", at: place)
    isFinished = true
  }
}
