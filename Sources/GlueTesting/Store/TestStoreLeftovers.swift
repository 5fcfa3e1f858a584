internal import Glue

extension TestStore {
  /// Leaves the oldest commit that is not asserted, and goes on from its state.
  func skip() {
    guard let commit = ledger.pending.first else { return }
    ledger.removeNext()
    skipped.append(ledger.line(for: commit))
    state = commit.after
  }

  /// Leaves all commits that are not asserted; where all have to be, the test fails.
  func leavePending(before moment: String, at place: Place) {
    let pending = ledger.pending.map(ledger.line)
    while !ledger.pending.isEmpty { skip() }
    if pending.isEmpty || exhaustivity == .off { return }
    let subject = count(pending.count, "intent") + (pending.count == 1 ? " was" : " were")
    fail("\(subject) not received \(moment):" + indented(pending), at: place)
  }

  /// Fails the test for what is left: intents that were not received, and effects in flight.
  func checkNothingIsLeft(of moment: String, at place: Place) {
    leavePending(before: moment, at: place)
    let inFlight = inFlight
    if inFlight.isEmpty || exhaustivity == .off { return }
    let subject = count(inFlight.count, "effect") + (inFlight.count == 1 ? " is" : " are")
    fail(
      "\(subject) still in flight \(moment):" + indented(inFlight)
        + "\nAdvance the clock until it is over, or have it cancelled.", at: place)
  }

  /// Lists what a test has not said of a commit.
  func list(_ commit: Commit<State>, except step: Step<State>) {
    var expected = state
    step.changes(&expected)
    let changes = differences(expected, commit.after)
    let others = commit.effects.difference(from: step.effects, by: isSame).insertions
    let effects = others.map { "emitted \(text(of: $0.value))" }
    skipped += (changes + effects).map { "\(text(of: commit.intent)): \($0)" }
  }

  /// The effects that wait or run, to be added to a message.
  var stillInFlight: String {
    let inFlight = inFlight
    if inFlight.isEmpty { return " No effect is in flight that could send one." }
    return " In flight:" + indented(inFlight)
  }

  /// The effects that wait or run, and the handlers that have not returned although they were
  /// cancelled, a line each.
  var inFlight: [String] {
    let running = store.effectsInFlight.map(line)
    let cancelled = watch.works.filter(\.isCancelled).map {
      "\(text(of: $0.effect)) was cancelled, but its task in \($0.handler) has not returned"
    }
    return running + cancelled
  }

  private func line(for effect: EffectInFlight) -> String {
    if effect.isThunk { return "An AsyncThunk runs" }
    return "\(ledger.line(for: effect.source)) \(words(for: effect))"
  }

  private func words(for effect: EffectInFlight) -> String {
    switch effect.phase {
    case .queued, .due: return "is queued"
    case .held: return "waits for the end of its window"
    case .waiting: return "waits for its time"
    case .blocked: return "waits for an earlier one to end"
    case .running, .over:
      let handlers = watch.works.filter { isSame($0.effect, effect.effect) }.map(\.handler)
      return handlers.isEmpty ? "runs" : "runs in " + handlers.joined(separator: ", ")
    }
  }
}
