import Glue
package import Testing

/// Lets tests hold deliveries and effects back on purpose: the stores that they make report nothing
/// that waits, however long the machine takes.
package struct Unwatched: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await RealTime.current.withValue(RealTime(interval: nil)) { try await function() }
  }
}

extension Trait where Self == Unwatched {
  package static var unwatched: Unwatched { Unwatched() }
}
