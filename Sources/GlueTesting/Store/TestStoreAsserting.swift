internal import Glue
internal import GlueDescribing

/// A test's assertion of one commit.
struct Step<State> {
  /// The intent as messages name it.
  let name: String

  /// The intent that is expected to come back, if the test names one.
  var intent: (any Intent)?

  /// The ids that it is expected to be addressed to.
  var path = IntentPath(ids: [])

  let effects: [any Effect]

  /// The effects that begin to last, and those that cease.
  var began: [LastingEffect] = []
  var ceased: [LastingEffect] = []

  /// Changes the state before into the expected one, if the test asserts it, for the intent that
  /// has come.
  let changes: ((inout State, any Intent) throws -> Void)?
  let place: Place

  /// The name with the ids.
  var fullName: String { name + path.phrase }

  /// The changes for an intent.
  func changes(for intent: any Intent) -> ((inout State) throws -> Void)? {
    changes.map { changes in { try changes(&$0, path.content(of: intent) ?? intent) } }
  }
}

/// Changes that don't depend on the intent.
func ignoringIntent<State>(
  _ changes: ((inout State) throws -> Void)?
) -> ((inout State, any Intent) throws -> Void)? {
  changes.map { changes in { state, _ in try changes(&state) } }
}

extension TestStore {
  /// Asserts the next commit, if it is the expected one.
  ///
  /// If everything must be asserted, another commit counts as having come instead.
  nonisolated(nonsending) func receive(
    _ step: Step<State>, within limit: Duration?, isContent: (any Intent) -> Bool
  ) async {
    func isExpected(_ intent: any Intent) -> Bool {
      step.path.content(of: intent).map(isContent) ?? false
    }
    checkStart()
    let limit = limit ?? self.limit
    await rest(in: "`receive`", at: step.place)
    defer { checkForbidden(at: step.place) }
    if let limit { await waitForNext(atMost: limit, at: step.place, isExpected) }
    let pending = ledger.pending
    if pending.isEmpty { return failForNone(step, limit) }
    let next = pending.firstIndex { !reported.contains($0.number) }
    let candidates = exhaustivity == .on ? pending[...(next ?? pending.endIndex - 1)] : pending
    if let index = candidates.firstIndex(where: { isExpected($0.intent) }) {
      skip(pending[..<index], at: step.place)
      return check(step, of: pending[index], named: ledger.line(for: pending[index]))
    }
    guard let first = next.map({ pending[$0] }) else { return failForNone(step, limit) }
    if exhaustivity == .on { skip([first], at: step.place) }
    let message = "Expected to receive \(step.fullName), but another intent came:"
    let details =
      [ledger.line(for: first)] + step.path.differences(from: step.intent, to: first.intent)
    fail(message + indented(details), at: step.place)
    problems.check(at: step.place)
  }

  /// Gives handlers that work outside of the clock's executor real time for a commit.
  private nonisolated(nonsending) func waitForNext(
    atMost limit: Duration, at place: Place, _ isExpected: (any Intent) -> Bool
  ) async {
    let end = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < end, !Task.isCancelled {
      let count = ledger.count
      let pending = ledger.pending
      if exhaustivity == .on, pending.contains(where: { !reported.contains($0.number) }) { return }
      if pending.contains(where: { isExpected($0.intent) }) { return }
      await wait(atMost: ContinuousClock.now.duration(to: end)) { [ledger] in
        await ledger.arrival.wait(unless: { ledger.count > count })
      }
      await rest(in: "`receive`", at: place)
    }
  }

  private func failForNone(_ step: Step<State>, _ limit: Duration?) {
    defer { problems.check(at: step.place) }
    let leftovers = leftovers
    let time = limit.map { " within \($0) of real time" } ?? ""
    let message = "Expected to receive \(step.fullName), but no intent came\(time)."
    if leftovers.isEmpty {
      return fail(
        message + " No effect is in flight that could send one" + lasting + silentEffects,
        at: step.place)
    }
    fail(
      message + " In flight:" + indented(leftovers.map(\.line))
        + cure(for: leftovers, by: "receive(…, within: .seconds(1))") + silentEffects,
      at: step.place)
  }

  /// Names the lasting effects, which may send an intent when the clock is advanced.
  private var lasting: String {
    let lines = lastingWorks(in: store, watch).map { "\(text(of: $0.effect)) in \($0.handler)" }
    if lines.isEmpty { return hasLasting ? ", nor does one last." : "; no `lasting:` was given." }
    return ", but these last:" + indented(lines)
      + "\nAdvance the clock, or give real time: `receive(…, within: .seconds(1))`."
  }

  /// Compares a commit with the test's assertion, and continues from the commit's state.
  func check(_ step: Step<State>, of commit: Commit<State>, named name: String) {
    var mismatch = Mismatch(isExhaustive: exhaustivity == .on)
    addProblems(to: &mismatch, of: commit.intent)
    let base = exhaustivity == .on ? commit.before : commit.after
    mismatch.compare(changes: step.changes(for: commit.intent), of: base, actual: commit.after)
    mismatch.compare(expected: step.effects, actual: commit.effects)
    mismatch.compare(expected: step.ceased, actual: commit.ceasedLastingEffects, .ceased)
    mismatch.compare(expected: step.began, actual: commit.begunLastingEffects, .begun)
    if exhaustivity == .off { list(commit, except: step) }
    ledger.remove(commit)
    goOn(from: commit)
    fail(mismatch, about: "\(name) did not behave as expected.", at: step.place)
  }

  /// Adds what the store has reported since the last step.
  private func addProblems(to mismatch: inout Mismatch, of intent: any Intent) {
    var problems = problems.take()
    if let intents, !intents.include(intent), !(intent is any Runnable),
      !self.problems.delegates(intent)
    {
      problems.removeAll { if case .unknownIntent = $0 { true } else { false } }
      mismatch.add(
        "No reducer knows it: this store's takes only \(intents.name). A middleware must not "
          + "pass on its own intents. If it is for a parent: "
          + "`test.delegate(\(type(of: intent)).self)`.")
    }
    for problem in problems { mismatch.add("\(problem)") }
  }

  /// Compares the assertion of an intent that was not reduced with no results.
  func checkNothingHappened(_ step: Step<State>, to intent: any Intent) {
    var mismatch = Mismatch(isExhaustive: exhaustivity == .on)
    mismatch.compare(changes: step.changes(for: intent), of: state, actual: state)
    mismatch.compare(expected: step.effects, actual: [])
    mismatch.compare(expected: step.ceased, actual: [], .ceased)
    mismatch.compare(expected: step.began, actual: [], .begun)
    for problem in problems.take() { mismatch.add("\(problem)") }
    let subject = "\(step.name) did not reach the reducer: a middleware has dropped or replaced it."
    fail(mismatch, about: subject, at: step.place)
  }

  /// Compares the lasting effects of the first state with the test's assertion, once.
  func checkStart() {
    guard let start = start.take() else { return }
    var mismatch = Mismatch(isExhaustive: exhaustivity == .on)
    mismatch.compare(expected: start.expected, actual: start.actual, .begun)
    if exhaustivity == .off {
      let others = unnamed(start.actual, by: start.expected)
      skip(others.map { "began to last: \(text(of: $0))" }, at: place)
    }
    fail(mismatch, about: "The first state's lasting effects are not those of `began:`.", at: place)
  }

  func fail(_ mismatch: Mismatch, about subject: String, at place: Place) {
    if let message = mismatch.message(about: subject) { fail(message, at: place) }
  }
}
