import Glue
package import Testing

/// Lets tests hold deliveries and effects back on purpose, or expect exactly what is reported: the
/// stores that they make report nothing that waits or takes long, however busy the machine is.
package struct Unwatched: SuiteTrait, TestTrait, TestScoping {
  package let isRecursive = true

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let stopped = RealTime(interval: nil) { .zero }
    try await RealTime.current.withValue(stopped) { try await function() }
  }
}

extension Trait where Self == Unwatched {
  package static var unwatched: Unwatched { Unwatched() }
}
