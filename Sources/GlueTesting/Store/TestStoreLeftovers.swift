internal import Glue
internal import GlueDescribing

/// An effect or a task that a store under test has not finished.
struct Leftover: Sendable {
  /// Distinguishes it from others.
  enum ID: Hashable {
    case effect(Cause)

    /// A handler's work that was canceled, or has left a task of its own.
    case work(Int)
    case thunk

    /// A task that sleeps on the clock, and that no store runs.
    case sleeper(Int)
  }

  let id: ID
  let line: String

  /// The handlers' work for it; nil if none is at work.
  var works: [WatchedWork]?
}

extension TestStore {
  /// Skips commits that aren't asserted, and continues from the last one's state.
  func skip(_ commits: ArraySlice<Commit<State>>, at place: Place) {
    commits.forEach(ledger.remove)
    skip(ledger.lines(for: commits), at: place)
    commits.forEach(goOn)
  }

  /// Takes the state of a commit that is asserted or skipped, unless a later one's was taken.
  func goOn(from commit: Commit<State>) {
    if commit.number < lastNumber { return }
    lastNumber = commit.number
    assertedState = commit.after
  }

  /// Skips all commits that aren't asserted.
  ///
  /// If everything must be asserted, the test fails, once for each.
  ///
  /// Commits that it fails for may still be received, so that one mistake is one failure.
  func leavePending(before moment: String, at place: Place) {
    if exhaustivity == .off { return skip(ledger.pending, at: place) }
    let pending = ledger.pending.filter { !reported.contains($0.number) }
    if pending.isEmpty { return }
    reported.formUnion(pending.map(\.number))
    pending.forEach(goOn)
    let subject = count(pending.count, "intent") + (pending.count == 1 ? " was" : " were")
    fail(
      "\(subject) not received \(moment):" + indented(ledger.lines(for: pending))
        + "\nReceive it, or skip it: `skipReceived()`, `exhaustivity = .off`.",
      at: place)
  }

  /// Fails the test for new leftovers: intents that were not received, and effects in flight.
  func checkNothingIsLeft(of moment: String, at place: Place) {
    checkStart()
    checkForbidden(at: place)
    leavePending(before: moment, at: place)
    problems.check(at: place)
    problems.checkMissing(at: place)
    checkNothingIsInFlight(of: moment, at: place)
  }

  private func checkNothingIsInFlight(of moment: String, at place: Place) {
    let leftovers = leftovers
    if leftovers.isEmpty || exhaustivity == .off && !showsSkippedAssertions { return }
    excused.formUnion(leftovers.map(\.id))
    if exhaustivity == .off { return skip(leftovers.map(\.line), at: place) }
    let subject = count(leftovers.count, "effect") + (leftovers.count == 1 ? " is" : " are")
    fail(
      "\(subject) still in flight \(moment):" + indented(leftovers.map(\.line))
        + cure(for: leftovers, by: "finish(within: .seconds(1))")
        + "\nWork that must end with a part of the state, such as an element, should last: `lasting:`.",
      at: place)
  }

  /// Says how to resolve leftovers: work in flight that doesn't wait for the clock works
  /// elsewhere.
  func cure(for leftovers: [Leftover], by call: String) -> String {
    let waiting = clock.worksAsleep.filter { $0.watch === watch }.map(\.number)
    let isElsewhere = leftovers.contains { leftover in
      leftover.works.map { works in !works.contains { waiting.contains($0.number) } } ?? false
    }
    let cure = """

      Advance the clock until it ends, have it canceled, or skip it: `skipInFlight()`, \
      `exhaustivity = .off`.
      """
    if !isElsewhere { return cure }
    return cure + """
       Work outside of the clock's executor, such as on the main actor, in a `Task { }` or on a \
      queue, needs real time: `\(call)`.
      """
  }

  /// Lists the parts of a commit that a test has not asserted.
  ///
  /// With a closure of changes no part of the state is listed, because it is unknown which parts
  /// the closure asserts.
  func list(_ commit: Commit<State>, except step: Step<State>) {
    let changes = step.changes == nil ? differences(commit.before, commit.after) : []
    let effects = unnamed(commit.effects, by: step.effects).map { "emitted \(text(of: $0))" }
    let ceased = unnamed(commit.ceasedLastingEffects, by: step.ceased)
      .map { "ceased to last: \(text(of: $0))" }
    let began = unnamed(commit.begunLastingEffects, by: step.began)
      .map { "began to last: \(text(of: $0))" }
    let lines = changes + effects + ceased + began
    skip(lines.map { "\(text(of: commit.intent)): \($0)" }, at: step.place)
  }

  /// The effects that wait or run, canceled handlers that haven't returned, and tasks that wait for
  /// the clock; without excused ones.
  ///
  /// Other handlers have left such a task, or no store runs it.
  var leftovers: [Leftover] {
    (inFlight(in: store, ledger, watch) + leftTasks).filter { !excused.contains($0.id) }
  }

  private var leftTasks: [Leftover] {
    clock.worksAsleep.filter { $0.watch === watch && $0.isOver }.map { work in
      Leftover(id: .work(work.number), line: work.line)
    }
      + clock.foreignSleepers.map { sleeper in
        Leftover(
          id: .sleeper(sleeper.number),
          line: "A task that no store runs waits for the clock, until \(sleeper.deadline.offset)")
      }
  }
}

/// The effects of a store under test that wait or run, and its canceled handlers that haven't
/// returned.
func inFlight<State>(
  in store: Store<State>, _ ledger: Ledger<State>, _ watch: TaskWatch
) -> [Leftover] {
  let effects = store.effectsInFlight.map { effect in
    if effect.isThunk { return Leftover(id: .thunk, line: "An AsyncThunk runs", works: []) }
    let isAtWork = effect.phase == .running
    let works = isAtWork ? watch.works.filter { isSame($0.effect, effect.effect) } : nil
    let line = "\(ledger.line(for: effect)) \(words(for: effect.phase, works ?? []))"
    return Leftover(id: .effect(effect.source), line: line, works: works)
  }
  let canceled = watch.canceledWorks.map { work in
    Leftover(
      id: .work(work.number),
      line: "\(text(of: work.effect)) was canceled, but its task in \(work.handler) has not "
        + "returned", works: [work])
  }
  return effects + canceled
}

/// The work of a store's lasting effects.
func lastingWorks<State>(in store: Store<State>, _ watch: TaskWatch) -> [WatchedWork] {
  let effects = store.effectsInFlight.map(\.effect)
  let canceled = watch.canceledWorks.map(\.number)
  return watch.works.filter { work in
    !canceled.contains(work.number) && !effects.contains { isSame($0, work.effect) }
  }
}

/// The lasting effects of a store, and those that synchronous handlers handle, a line each.
func lastingLines<State>(in store: Store<State>, _ watch: TaskWatch) -> [String] {
  lastingWorks(in: store, watch).map { "\(text(of: $0.effect)) lasts in \($0.handler)" }
    + watch.marked.map { "\(text(of: $0.effect)) is handled in \($0.handler)" }
}

/// An effect of a store that hasn't ended, for stores that no test store drives.
func inFlightLine(for effect: EffectInFlight) -> String {
  let name = effect.isThunk ? "An AsyncThunk" : text(of: effect.effect)
  if effect.phase.isOver { return "\(name) was canceled, but its task has not returned" }
  return "\(name) \(words(for: effect.phase, []))"
}

private func words(for phase: EffectPhase, _ works: [WatchedWork]) -> String {
  switch phase {
  case .queued, .due, .synchronous: "is queued"
  case .unfinished: "waits for a handler: add one, or a stub"
  case .held: "waits for the end of its window"
  case .waiting: "waits for its time"
  case .blocked: "waits for an earlier one to end"
  case .starting, .running, .canceled, .over:
    works.isEmpty ? "runs" : "runs in " + works.map(\.handler).joined(separator: ", ")
  }
}
