/// What came of one run.
struct InterleavedOutcome: Sendable {
  let seed: UInt32
  let posting: InterleavedRun.Posting
  let lines: [Line]

  /// What the store says at the end; nil if it was gone by then.
  let commits: [Int]?

  /// What was alive when all that is outside of the library had been released.
  let leak: String?

  /// What the model says to it.
  var verdict: Result<Set<RareCase>, InterleavedModel.Fault> {
    Result { () throws(InterleavedModel.Fault) in
      let rareCases = try InterleavedModel.follow(lines, posting, commits: commits)
      if let leak { throw InterleavedModel.Fault(description: leak) }
      return rareCases
    }
  }

  /// How to see the run again, and what happened, until the fault if there is one.
  func report(_ fault: InterleavedModel.Fault?) -> String {
    let shown = lines.prefix((fault?.line ?? lines.count) + 1)
    return """
      Seed \(seed), delivery \(posting): \(fault?.description ?? "as the model says").
      Again: GLUE_SEED=\(seed) swift test --filter InterleavingTests
      \(shown.enumerated().map { "  \($0), on thread \($1)" }.joined(separator: "\n"))
      """
  }
}
