import Glue
import Testing

/// Lets tests hold deliveries and effects back on purpose: the stores that they make report nothing
/// that waits, however long the machine takes.
struct Unwatched: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await RealTime.current.withValue(RealTime(interval: nil)) { try await function() }
  }
}

extension Trait where Self == Unwatched {
  static var unwatched: Unwatched { Unwatched() }
}
