internal import Glue

/// What a test asserts of one commit.
struct Step<State> {
  /// The intent as messages name it.
  let name: String

  /// The intent that is expected to come back, if the test names one.
  var intent: (any Intent)?

  let effects: [any Effect]
  let changes: (inout State) -> Void
  let place: Place
}

extension TestStore {
  /// Asserts the next commit, if it is the expected one.
  ///
  /// If it is another one, that is taken to have come instead, where all has to be asserted.
  nonisolated(nonsending) func receive(
    _ step: Step<State>, isExpected: (any Intent) -> Bool
  ) async {
    isFinished = false
    await clock.rest()
    let others = ledger.pending.prefix { !isExpected($0.intent) }
    if exhaustivity == .off, others.count < ledger.pending.count { others.forEach { _ in skip() } }
    guard let commit = ledger.pending.first else {
      let message = "Expected to receive \(step.name), but no intent came."
      return fail(message + stillInFlight, at: step.place)
    }
    if isExpected(commit.intent) {
      return assert(step, ofNext: commit, named: ledger.line(for: commit))
    }
    if exhaustivity == .on { skip() }
    let message = "Expected to receive \(step.name), but another intent came:"
    let details = [ledger.line(for: commit)] + payloadDifferences(step.intent, commit.intent)
    fail(message + indented(details), at: step.place)
  }

  private func payloadDifferences(_ expected: (any Intent)?, _ actual: any Intent) -> [String] {
    guard let expected, type(of: expected) == type(of: actual) else { return [] }
    return ["Expected → actual:"] + differences(expected, actual).map { "  \($0)" }
  }

  /// Compares the next commit with what a test says of it, and goes on from there.
  func assert(_ step: Step<State>, ofNext commit: Commit<State>, named name: String) {
    var mismatch = Mismatch()
    var expected = exhaustivity == .on ? state : commit.after
    step.changes(&expected)
    mismatch.compare(expected: expected, actual: commit.after)
    switch exhaustivity {
    case .on: mismatch.compare(expected: step.effects, actual: commit.effects)
    case .off:
      mismatch.compare(expected: step.effects, amongActual: commit.effects)
      list(commit, except: step)
    }
    ledger.removeNext()
    state = commit.after
    guard let message = mismatch.message(about: "\(name) did not do what is expected.") else {
      return
    }
    fail(message, at: step.place)
  }

  /// Compares what a test says of an intent that was not reduced with nothing at all.
  func assertNothingHappened(_ step: Step<State>) {
    var mismatch = Mismatch()
    var expected = state
    step.changes(&expected)
    mismatch.compare(expected: expected, actual: state)
    mismatch.compare(expected: step.effects, actual: [])
    let subject = "\(step.name) did not reach the reducer: a middleware has dropped or replaced it."
    guard let message = mismatch.message(about: subject) else { return }
    fail(message, at: step.place)
  }
}
