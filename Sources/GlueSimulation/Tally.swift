internal import GlueDescribing

/// Counts of the events in the runs of some seeds.
struct Tally: Codable, Sendable, Equatable {
  var seeds = 0
  var faults = 0
  var crashes = 0

  /// The calls of clients that were made, and those of them that returned a result.
  var calls = 0
  var answered = 0

  /// Whether each machine, by its name, has been up.
  var machines: [String: Bool] = [:]

  /// Whether each thing that must happen in some run has.
  var sometimes: [String: Bool] = [:]

  /// Why a call, or a start of a machine, failed last.
  var lastCall = ""
  var lastStart: [String: String] = [:]

  mutating func add(_ other: Tally) {
    seeds += other.seeds
    faults += other.faults
    crashes += other.crashes
    calls += other.calls
    answered += other.answered
    machines.merge(other.machines) { $0 || $1 }
    sometimes.merge(other.sometimes) { $0 || $1 }
    if !other.lastCall.isEmpty { lastCall = other.lastCall }
    lastStart.merge(other.lastStart) { $1 }
  }

  /// Things that the runs have not reached, so that they check less than they seem to.
  var gaps: [String] {
    if machines.isEmpty {
      return ["it has no machine; add one by `world.machine`, for the program to run on"]
    }
    let down = machines.filter { !$0.value }.keys.sorted().map { name in
      let why = lastStart[name].map { ". The last time it \($0)" } ?? ""
      return "the program of \(name) has never started, so nothing has used it\(why)"
    }
    let never = sometimes.filter { !$0.value }.keys.sorted().map { what in
      "\"\(what)\" has never happened"
    }
    let isUnanswered = calls > 0 && answered == 0 && down.isEmpty
    let calls =
      isUnanswered ? ["all of \(grouped(calls)) calls have failed; the last: \(lastCall)"] : []
    return down + calls + never
  }

  /// One line, for a simulation that holds.
  var summary: String {
    let share =
      calls == 0 ? [] : ["\(answered * 100 / calls) % of \(counted(calls, "call")) answered"]
    return
      ([counted(seeds, "seed"), counted(faults, "fault")] + share + [counted(crashes, "crash")])
      .joined(separator: ", ")
  }
}

private func counted(_ number: Int, _ noun: String) -> String {
  let ending = number == 1 ? "" : noun.hasSuffix("sh") ? "es" : "s"
  return "\(grouped(number)) \(noun)\(ending)"
}
