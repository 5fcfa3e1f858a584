internal import Glue
internal import GlueTesting

/// Searches for a short story that fails as a run has.
struct StorySearch {
  let simulation: Simulation
  let seed: UInt64
  let framework: Framework

  /// How many more times the program is run, and about how many more steps.
  private var budget = 200
  private var stepBudget = 200_000
  private var plan = Plan()

  init(simulation: Simulation, seed: UInt64, framework: Framework) {
    (self.simulation, self.seed, self.framework) = (simulation, seed, framework)
  }

  /// Leaves out faults, then clients' calls, then the seed's order.
  mutating func shortest(_ outcome: Outcome) async -> Outcome {
    if outcome.isStuck || !framework.canFailSilently && outcome.failure == "an expectation failed" {
      return outcome
    }
    var best = outcome
    plan.faults = Set(outcome.faults)
    await cut(&best, .faults)
    await thinOut(&best, .faults)
    await findOne(&best)
    plan.lastCall = best.calls
    await cut(&best, .calls)
    await thinOut(&best, .calls)
    var straight = plan
    straight.isOldestFirst = true
    _ = await attempt(straight, &best)
    return best
  }

  private enum Part { case faults, calls }

  /// The numbers of what is left in of a part.
  private func numbers(_ part: Part, in best: Outcome) -> [Int] {
    switch part {
    case .faults: best.faults
    case .calls: plan.calls?.sorted() ?? Array(1..<best.calls + 1)
    }
  }

  private func plan(with numbers: some Sequence<Int>, of part: Part) -> Plan {
    var new = plan
    switch part {
    case .faults: new.faults = Set(numbers)
    case .calls: new.calls = Set(numbers)
    }
    return new
  }

  /// Finds a short beginning of a part that is enough.
  private mutating func cut(_ best: inout Outcome, _ part: Part) async {
    var start = 0
    while case let all = numbers(part, in: best), start < all.count {
      let middle = start + (all.count - start) / 2
      if await !attempt(plan(with: all[..<middle], of: part), &best) { start = middle + 1 }
    }
  }

  /// Leaves out each number of a part that isn't needed.
  private mutating func thinOut(_ best: inout Outcome, _ part: Part) async {
    for number in numbers(part, in: best).reversed() {
      let others = numbers(part, in: best).filter { $0 != number }
      _ = await attempt(plan(with: others, of: part), &best)
    }
  }

  /// Finds the first opportunity at which one fault alone is enough.
  private mutating func findOne(_ best: inout Outcome) async {
    for first in Set(best.faults.map(World.Fault.first(like:))).sorted() {
      for number in first..<first + 30 {
        if best.faults == [number] { return }
        if await attempt(plan(with: [number], of: .faults), &best) { return }
      }
    }
  }

  /// Whether the program fails alike with a plan, which then is the best one.
  private mutating func attempt(_ new: Plan, _ best: inout Outcome) async -> Bool {
    if budget == 0 || stepBudget < best.steps { return false }
    budget -= 1
    let result = Locked<Outcome?>(nil)
    let fails = await framework.failsSilently { [self] in
      let outcome = await simulation.run(seed, new)
      result.withLock { $0 = outcome }
    }
    guard var outcome = result.withLock({ $0 }) else { return false }
    if outcome.isStuck {  // So are the next ones: a dead program holds a lock that all runs share.
      budget = 0
      return false
    }
    stepBudget -= outcome.steps
    // A client that tries again replaces each call that is left out.
    if plan.lastCall > 0 && outcome.calls > plan.lastCall { return false }
    if fails { outcome.failure = outcome.failure ?? "an expectation failed" }
    guard let failure = outcome.failure, kind(of: failure) == kind(of: best.failure ?? "") else {
      return false
    }
    (plan, best) = (new, outcome)
    return true
  }

  /// Failures that differ only in numbers are alike.
  private func kind(of failure: String) -> String { String(failure.withoutNumbers.prefix(40)) }

  func summary(_ shortest: Outcome, from first: Outcome) -> String {
    let order = plan.isOldestFirst ? ", with the oldest task running first" : ""
    let calls = plan.calls?.count ?? shortest.calls
    // With fewer faults, a client may try again more often.
    let all = calls > first.calls ? "" : " of \(first.calls)"
    return """
      The shortest story found has \(count(shortest.faults.count, "fault")) of \
      \(first.faults.count) and \(count(calls, "call"))\(all)\(order):
      """
  }
}
