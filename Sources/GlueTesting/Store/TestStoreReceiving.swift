public import Glue
internal import GlueDescribing

extension TestStore {
  /// Asserts the next intent that came back from an effect, and its results.
  ///
  ///     await test.receive(SearchIntent.found([])) { $0.isSearching = false }
  ///
  /// Intents are received in the order of their commits. If none comes although all tasks rest, the
  /// test fails; it does not wait. With `exhaustivity: .off`, intents before the asserted one are
  /// skipped.
  ///
  /// To receive the intent of an element, or of a part with an id, name the id. For an element in a
  /// part, name both, the outermost first. The closure still gets the whole state:
  ///
  ///     await test.receive(RoomIntent.opened, in: 2) { $0.rooms[2]?.isOpen = true }
  ///     await test.receive(HistoryIntent.undo, in: Side.left, 2) { $0.left.rooms[2]?.jump(by: -1) }
  ///
  /// A handler that works outside of the clock's executor, such as on the main actor, in a `Task {
  /// }` or on a queue, gets real time. The wait ends when the intent has come:
  ///
  ///     await test.receive(SearchIntent.found([]), within: .seconds(1)) { $0.isSearching = false }
  ///
  /// - Parameters:
  ///   - intent: the intent that should have been dispatched.
  ///   - ids: the ids of the elements and parts that it should be addressed to by an
  ///     ``/Glue/ElementIntent`` each, the outermost first.
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
    _ intent: any Intent, in ids: any Hashable & Sendable...,
    effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step(
      name: text(of: intent), intent: intent, path: IntentPath(ids: ids), effects: effects,
      began: began, ceased: ceased, changes: ignoringIntent(changes), place: place)
    await receive(step, within: limit) { isSame($0, intent) }
  }

  /// Asserts that the next intent that came back is of a case, with any payload, and its results.
  ///
  /// Name the case without its payload. The closure gets that, of several values as a tuple without
  /// their labels:
  ///
  ///     await test.receive(case: SearchIntent.found) { state, results in state.results = results }
  public nonisolated(nonsending) func receive<Payload, I: Intent>(
    case intentCase: @escaping (Payload) -> I, in ids: any Hashable & Sendable...,
    effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State, Payload) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step<State>(
      name: "\(withArticle(I.self)) of the case after `case:`", path: IntentPath(ids: ids),
      effects: effects, began: began, ceased: ceased,
      changes: changes.map { changes in
        { if let payload = payload(of: $1, madeBy: intentCase) { try changes(&$0, payload) } }
      }, place: place)
    await receive(step, within: limit) { payload(of: $0, madeBy: intentCase) != nil }
  }

  /// Asserts that the next intent that came back is of a type, and its results.
  ///
  ///     await test.receive(any: Found.self) { state, found in state.results = found.results }
  ///
  /// A property of the intent can be a condition, which it must satisfy too:
  ///
  ///     await test.receive(any: SearchIntent.self, where: \.isFailure) { state, _ in
  ///       state.isSearching = false
  ///     }
  public nonisolated(nonsending) func receive<I: Intent>(
    any type: I.Type, where condition: KeyPath<I, Bool>? = nil, in ids: any Hashable & Sendable...,
    effects: [any Effect] = [], began: [LastingEffect] = [],
    ceased: [LastingEffect] = [], within limit: Duration? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column, changes: ((inout State, I) throws -> Void)? = nil
  ) async {
    let place = Place(fileID: fileID, filePath: filePath, line: line, column: column)
    let step = Step<State>(
      name: withArticle(type) + (condition == nil ? "" : " that satisfies the condition"),
      path: IntentPath(ids: ids), effects: effects, began: began, ceased: ceased,
      changes: changes.map { changes in
        { if let intent = $1 as? I { try changes(&$0, intent) } }
      }, place: place)
    await receive(step, within: limit) { intent in
      (intent as? I).map { intent in condition.map { intent[keyPath: $0] } ?? true } ?? false
    }
  }
}

/// The payload of an intent, if it is of the case that a function constructs.
///
/// The payload of a case without a label is the child's value; one label makes a tuple of it.
private func payload<Payload, I: Intent>(
  of intent: any Intent, madeBy intentCase: (Payload) -> I
) -> Payload? {
  guard intent is I, let child = Mirror(reflecting: intent).children.first,
    let payload = child.value as? Payload
      ?? Mirror(reflecting: child.value).children.first?.value as? Payload,
    let made = Mirror(reflecting: intentCase(payload)).children.first
  else { return nil }
  return made.label == child.label && type(of: made.value) == type(of: child.value)
    ? payload : nil
}
