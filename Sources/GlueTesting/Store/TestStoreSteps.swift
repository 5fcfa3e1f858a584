public import Glue
internal import GlueDescribing

extension TestStore {
  /// Dispatches an intent and asserts its results.
  ///
  ///     await test.send(AppIntent.increment, effects: [AppEffect.playSound]) { $0.value = 5 }
  ///
  /// To send an intent to an element, or to a part with an id, name the id, as in `receive`. Its
  /// effects are those of the part:
  ///
  ///     await test.send(RoomIntent.open, in: 2, effects: [RoomEffect.unlock.inside(2)])
  ///
  /// All earlier results must have been received. An intent that a middleware drops has changed
  /// nothing. Intents that it passes on instead or besides, before or after, and those that a thunk
  /// dispatches, must be received. It returns when all tasks rest.
  ///
  /// A closure that changes nothing, although nothing should change, fails the test: leave it out.
  ///
  /// - Parameters:
  ///   - intent: what should happen.
  ///   - ids: the ids of the elements and parts that it is addressed to, by an
  ///     ``/Glue/ElementIntent`` each, the outermost first.
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
    _ intent: any Intent, in ids: any Hashable & Sendable..., effects: [any Effect] = [],
    began: [LastingEffect] = [], ceased: [LastingEffect] = [],
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async -> SentWork<State> {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let path = IntentPath(ids: ids)
    let name = text(of: intent) + path.phrase
    let intent = addressed(intent, to: ids)
    checkStart()
    await rest(in: "`send`", at: place)
    leavePending(before: "before `send` of \(name)", at: place)
    let count = ledger.count
    await run(in: "`send`", at: place) { [store] in store.dispatch(intent) }
    checkForbidden(at: place)
    let step = Step(
      name: name, effects: effects, began: began, ceased: ceased,
      changes: ignoringIntent(changes), place: place)
    let own = ledger.pending.first {
      $0.number > count && $0.cause == .outside && isSame($0.intent, intent)
    }
    if let own {
      check(step, of: own, named: step.name)
    } else {
      checkNothingHappened(step, to: intent)
    }
    return SentWork(test: self, name: step.name, commits: count + 1..<ledger.count + 1)
  }
}
