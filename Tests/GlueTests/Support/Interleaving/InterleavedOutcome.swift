/// The results of one run.
struct InterleavedOutcome: Sendable {
  let seed: UInt32
  let posting: InterleavedRun.Posting
  let lines: [Line]

  /// The store's state at the end; nil if it was gone by then.
  let commits: [Int]?

  /// How many closures of subscribers and handlers were alive by then.
  let closures: Int

  /// The objects alive when everything outside of the library had been released.
  let leak: String?

  /// The model's verdict.
  var verdict: Result<Set<RareCase>, InterleavedModel.Fault> {
    Result { () throws(InterleavedModel.Fault) in
      let rareCases = try InterleavedModel.follow(lines, posting, commits: commits)
      if let leak = leak ?? keptClosures { throw InterleavedModel.Fault(description: leak) }
      return rareCases
    }
  }

  /// A store's references when nothing is pending: none of a canceled subscription.
  private var keptClosures: String? {
    var held: Set<Int> = []
    for line in lines {
      switch line.event {
      case .subscribes(let number, _), .adds(let number, _): held.insert(number)
      case .cancels(let number): held.remove(number)
      default: break
      }
    }
    let expected = commits == nil ? 0 : held.count
    return closures == expected ? nil : "G9: \(closures) closures are alive, not \(expected)"
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
