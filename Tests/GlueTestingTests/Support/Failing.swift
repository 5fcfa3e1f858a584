import Testing

@testable import GlueTesting

/// The messages of the failures that a body reports, which do not fail the test.
func failures(_ body: nonisolated(nonsending) () async -> Void) async -> [String] {
  await FailureCollector.failures(of: body).map(\.message)
}
