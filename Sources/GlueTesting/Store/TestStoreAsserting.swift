internal import Glue

/// What a test asserts of one commit.
struct Step<State> {
  /// The intent as messages name it.
  let name: String

  /// The intent that is expected to come back, if the test names one.
  var intent: (any Intent)?

  let effects: [any Effect]

  /// The effects that begin to last, and those that cease.
  var began: [LastingEffect] = []
  var ceased: [LastingEffect] = []

  /// Makes the state before into the one that is expected, if the test says so.
  let changes: ((inout State) throws -> Void)?
  let place: Place

  func change(_ state: inout State) throws { try changes?(&state) }
}

extension TestStore {
  /// Asserts the next commit, if it is the expected one.
  ///
  /// If it is another one, that is taken to have come instead, where all has to be asserted.
  nonisolated(nonsending) func receive(
    _ step: Step<State>, within limit: Duration?, isExpected: (any Intent) -> Bool
  ) async {
    await clock.rest()
    if let limit { await waitForNext(atMost: limit, isExpected) }
    let pending = ledger.pending
    guard let first = pending.first else { return failForNone(step, limit) }
    let candidates = exhaustivity == .on ? pending.prefix(1) : pending
    if let index = candidates.firstIndex(where: { isExpected($0.intent) }) {
      pending[..<index].forEach(skip)
      return check(step, of: pending[index], named: ledger.line(for: pending[index]))
    }
    if exhaustivity == .on { skip(first) }
    let message = "Expected to receive \(step.name), but another intent came:"
    let details = [ledger.line(for: first)] + payloadDifferences(step.intent, first.intent)
    fail(message + indented(details), at: step.place)
  }

  /// Gives handlers that work outside of the clock's executor real time for a commit.
  private nonisolated(nonsending) func waitForNext(
    atMost limit: Duration, _ isExpected: (any Intent) -> Bool
  ) async {
    let end = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < end, !Task.isCancelled {
      let count = ledger.count
      let pending = ledger.pending
      if exhaustivity == .on, !pending.isEmpty { return }
      if pending.contains(where: { isExpected($0.intent) }) { return }
      await wait(atMost: ContinuousClock.now.duration(to: end)) { [ledger] in
        await ledger.arrival.wait(unless: { ledger.count > count })
      }
      await clock.rest()
    }
  }

  private func failForNone(_ step: Step<State>, _ limit: Duration?) {
    let leftovers = leftovers
    let time = limit.map { " within \($0) of real time" } ?? ""
    let message = "Expected to receive \(step.name), but no intent came\(time)."
    if leftovers.isEmpty {
      return fail(message + " No effect is in flight that could send one.", at: step.place)
    }
    fail(
      message + " In flight:" + indented(leftovers.map(\.line))
        + cure(for: leftovers, by: "receive(…, within: .seconds(1))"), at: step.place)
  }

  private func payloadDifferences(_ expected: (any Intent)?, _ actual: any Intent) -> [String] {
    guard let expected, type(of: expected) == type(of: actual) else { return [] }
    return ["Expected → actual:"] + differences(expected, actual).map { "  \($0)" }
  }

  /// Compares a commit with what a test says of it, and goes on from there.
  func check(_ step: Step<State>, of commit: Commit<State>, named name: String) {
    var mismatch = Mismatch()
    let unknownIntents = ledger.takeUnknownIntents()
    if let intents, !intents.include(commit.intent) {
      mismatch.add(
        "No reducer knows it: that of this store takes \(intents.name) alone. What is for a "
          + "middleware, let that not pass on.")
    } else {
      for problem in unknownIntents { mismatch.add("\(problem)") }
    }
    let base = exhaustivity == .on ? commit.before : commit.after
    mismatch.compare(changes: step.change, of: base, actual: commit.after)
    switch exhaustivity {
    case .on:
      mismatch.compare(expected: step.effects, actual: commit.effects)
      mismatch.compare(expected: step.ceased, actual: commit.ceased, that: "cease", "ceased")
      mismatch.compare(expected: step.began, actual: commit.began, that: "begin", "begun")
    case .off:
      mismatch.compare(expected: step.effects, amongActual: commit.effects)
      list(commit, except: step)
    }
    ledger.remove(commit)
    goOn(from: commit)
    fail(mismatch, about: "\(name) did not do what is expected.", at: step.place)
  }

  /// Compares what a test says of an intent that was not reduced with nothing at all.
  func checkNothingHappened(_ step: Step<State>) {
    var mismatch = Mismatch()
    mismatch.compare(changes: step.change, of: state, actual: state)
    mismatch.compare(expected: step.effects, actual: [])
    let subject = "\(step.name) did not reach the reducer: a middleware has dropped or replaced it."
    fail(mismatch, about: subject, at: step.place)
  }

  func fail(_ mismatch: Mismatch, about subject: String, at place: Place) {
    if let message = mismatch.message(about: subject) { fail(message, at: place) }
  }
}
