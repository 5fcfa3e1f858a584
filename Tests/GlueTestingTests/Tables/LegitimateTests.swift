import ProcessSupport
import Testing

@testable import GlueTesting

@Suite("Legitimate tests")
struct LegitimateTests {
  /// How often each is run; with `GLUE_REPETITIONS=2000` forty times as often.
  private static let repetitions = Trials.number("GLUE_REPETITIONS", or: 50)

  @Test("pass, every time", arguments: stores + times + elsewheres + others)
  func pass(test: DeskCase) async {
    let messages = await failures {
      for _ in 0..<Self.repetitions {
        do { try await test.body() } catch { Issue.record(error) }
      }
    }
    #expect(messages.count == 0, "\(messages.first ?? "")")
  }
}
