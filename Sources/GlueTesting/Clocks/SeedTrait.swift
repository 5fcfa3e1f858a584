public import Testing

/// Has each `explore` of a test, or of a suite's tests, run with one seed alone: see `seed(_:)`.
public struct SeedTrait: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal static var current: UInt64?

  /// The only seed to try.
  public let seed: UInt64

  /// Whether a suite's tests have it too: yes.
  public var isRecursive: Bool { true }

  /// Runs a test with the seed.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$current.withValue(seed) { try await function() }
  }
}

extension Trait where Self == SeedTrait {
  /// Has `explore` run with one seed alone, in the order in which it has failed.
  ///
  ///     @Test(.seed(7)) func concurrentSearches() async {
  ///
  /// - Parameter seed: the one that a failure has named.
  /// - Returns: the trait.
  public static func seed(_ seed: UInt64) -> Self { SeedTrait(seed: seed) }
}
