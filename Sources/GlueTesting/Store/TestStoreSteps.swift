public import Glue
internal import GlueLogging

extension TestStore {
  /// Dispatches an intent and asserts its results.
  ///
  ///     await test.send(AppIntent.increment, effects: [AppEffect.playSound]) { $0.value = 5 }
  ///
  /// All earlier results must have been received. An intent that a middleware drops has changed
  /// nothing. Intents that it passes on instead or besides, before or after, and those that a thunk
  /// dispatches, must be received. It returns when all tasks rest.
  ///
  /// A closure that changes nothing, although nothing should change, fails the test: leave it out.
  ///
  /// - Parameters:
  ///   - intent: what should happen.
  ///   - effects: all effects that the reducer should emit, in order, scheduled ones with their
  ///     policies.
  ///   - began: all effects that should begin to last, in the order that `lasting:` returns.
  ///   - ceased: all effects that should cease to last.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - changes: changes the state before into the expected one. It is called once; an error that
  ///     it throws fails the test.
  /// - Returns: the intent's work, to cancel its effects or to have them finished.
  @discardableResult
  public nonisolated(nonsending) func send(
    _ intent: any Intent, effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async -> SentWork<State> {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    checkStart()
    await clock.rest()
    leavePending(before: "before `send` of \(text(of: intent))", at: place)
    let count = ledger.count
    await clock.ownExecutor.run { [store] in store.dispatch(intent) }
    await clock.rest()
    let step = Step(
      name: text(of: intent), effects: effects, began: began, ceased: ceased, changes: changes,
      place: place)
    let own = ledger.pending.first {
      $0.number > count && $0.cause == .outside && isSame($0.intent, intent)
    }
    if let own { check(step, of: own, named: step.name) } else { checkNothingHappened(step) }
    return SentWork(test: self, name: step.name, commits: count + 1..<ledger.count + 1)
  }

  /// Asserts the next intent that came back from an effect, and its results.
  ///
  ///     await test.receive(SearchIntent.found([])) { $0.isSearching = false }
  ///
  /// Intents are received in the order of their commits. If none comes although all tasks rest, the
  /// test fails; it does not wait. With `exhaustivity: .off`, intents before the asserted one are
  /// skipped.
  ///
  /// A handler that works outside of the clock's executor, such as on the main actor, in a `Task {
  /// }` or on a queue, gets real time. The wait ends when the intent has come:
  ///
  ///     await test.receive(SearchIntent.found([]), within: .seconds(1)) { $0.isSearching = false }
  ///
  /// - Parameters:
  ///   - intent: the intent that should have been dispatched.
  ///   - effects: all effects that the reducer should emit, in order, scheduled ones with their
  ///     policies.
  ///   - began: all effects that should begin to last, in the order that `lasting:` returns.
  ///   - ceased: all effects that should cease to last.
  ///   - limit: how much real time to wait for it, if it has not come when all tasks rest; the
  ///     store's ``limit``, if nil.
  ///   - fileID: the file that failures are reported in, with `filePath`.
  ///   - filePath: the path of that file.
  ///   - line: the line in it.
  ///   - column: the column in that line.
  ///   - changes: changes the state before into the expected one. It is called once; an error that
  ///     it throws fails the test.
  public nonisolated(nonsending) func receive(
    _ intent: any Intent, effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step(
      name: text(of: intent), intent: intent, effects: effects, began: began, ceased: ceased,
      changes: changes, place: place)
    await receive(step, within: limit) { isSame($0, intent) }
  }

  /// Asserts that the next intent that came back is of a case, with any payload, and its results.
  ///
  /// Name a case with a payload without it:
  ///
  ///     await test.receive(SearchIntent.found) { $0.isSearching = false }
  public nonisolated(nonsending) func receive<Payload, I: Intent>(
    _ intentCase: (Payload) -> I, effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step(
      name: "a \(I.self) of the case that is named here", effects: effects, began: began,
      ceased: ceased, changes: changes,
      place: place)
    await receive(step, within: limit) { isMade($0, by: intentCase) }
  }

  /// Asserts that the next intent that came back is of a type, and its results.
  ///
  ///     await test.receive(SearchIntent.self) { $0.isSearching = false }
  public nonisolated(nonsending) func receive<I: Intent>(
    _ type: I.Type, effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step(
      name: "a \(type)", effects: effects, began: began, ceased: ceased, changes: changes,
      place: place)
    await receive(step, within: limit) { $0 is I }
  }

  /// Asserts that the next intent that came back satisfies a condition, and its results.
  ///
  ///     await test.receive(SearchIntent.self, where: \.isFailure) { $0.isSearching = false }
  public nonisolated(nonsending) func receive<I: Intent>(
    _ type: I.Type, where condition: (I) -> Bool, effects: [any Effect] = [],
    began: [LastingEffect] = [], ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step(
      name: "a \(type) that satisfies the condition", effects: effects, began: began,
      ceased: ceased, changes: changes,
      place: place)
    await receive(step, within: limit) { ($0 as? I).map(condition) ?? false }
  }
}

/// Whether a value is of the case that a function constructs.
///
/// The payload of a case without a label is the child's value; one label makes a tuple of it.
private func isMade<Payload, I: Intent>(
  _ intent: any Intent, by intentCase: (Payload) -> I
) -> Bool {
  guard intent is I, let child = Mirror(reflecting: intent).children.first,
    let payload = child.value as? Payload
      ?? Mirror(reflecting: child.value).children.first?.value as? Payload,
    let made = Mirror(reflecting: intentCase(payload)).children.first
  else { return false }
  return made.label == child.label && type(of: made.value) == type(of: child.value)
}
