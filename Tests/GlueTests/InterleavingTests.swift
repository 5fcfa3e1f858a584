import Foundation
import Testing
import ProcessSupport

/// Three threads use one store at random, one step at a time, in an order that a seed decides.
///
/// A model predicts exactly which call must come next, and on which thread.
///
/// A failure names its seed, and the same seed does the same again. To see all that happens in it:
///
///     GLUE_SEED=1234 swift test --filter InterleavingTests
@Suite("G1 to G5, G8, G9: under any interleaving")
struct InterleavingTests {
  typealias Posting = InterleavedRun.Posting

  @Test("a store does what the model says", arguments: Posting.allCases)
  func followsTheModel(posting: Posting) async throws {
    let seed = try chosenSeed()
    let (faults, rareCases) = await onThread {
      judge(seed.map { $0...$0 } ?? 0...2499, posting, isVerbose: seed != nil)
    }
    if let first = faults.first { Issue.record("\(faults.count) seeds fail.\n\(first)") }
    if seed != nil { return }
    #expect(rareCases == (posting == .immediate ? RareCase.withoutBodies : Set(RareCase.allCases)))
  }

  @Test("a seed does the same again, and another does not", arguments: Posting.allCases)
  func isAPureFunctionOfTheSeed(posting: Posting) async {
    let runs = await onThread {
      (0..<2).map { _ in (0..<50).map { InterleavedRun.play(seed: $0, posting).lines } }
    }
    #expect(runs[0] == runs[1])
    #expect(Set(runs[0].map { "\($0)" }).count == 50)
  }

  /// The seed to replay, which comes from the environment; nil for all.
  private func chosenSeed() throws -> UInt32? {
    guard let text = ProcessInfo.processInfo.environment["GLUE_SEED"] else { return nil }
    let seed: UInt32 = try #require(UInt32(text), "GLUE_SEED is a number from 0 on")
    return seed
  }
}

/// Runs seeds, and returns a report of each that fails, and the rare cases that the others reach.
private func judge(
  _ seeds: ClosedRange<UInt32>, _ posting: InterleavedRun.Posting, isVerbose: Bool
) -> (faults: [String], rareCases: Set<RareCase>) {
  var faults: [String] = []
  var rareCases: Set<RareCase> = []
  for seed in seeds {
    let outcome = InterleavedRun.play(seed: seed, posting)
    switch outcome.verdict {
    case .success(let reached): rareCases.formUnion(reached)
    case .failure(let fault): faults.append(outcome.report(fault))
    }
    if isVerbose { print(outcome.report(nil)) }
  }
  return (faults, rareCases)
}
