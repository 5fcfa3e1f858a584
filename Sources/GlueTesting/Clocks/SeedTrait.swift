public import Testing

/// Runs each `explore` of a test, or of a suite's tests, with one seed alone, in the order that has
/// failed.
///
///     @Test(.seed(7)) func concurrentSearches() async {
public struct SeedTrait: TestTrait, SuiteTrait, TestScoping {
  @TaskLocal package static var current: UInt64?

  /// The only seed to try.
  public let seed: UInt64

  /// True: a suite's tests use the seed too.
  public var isRecursive: Bool { true }

  /// Runs a test with the seed.
  public func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await Self.$current.withValue(seed) { try await function() }
  }
}

// DocC would replace the article's page by the one of an extended `Testing`.
@_documentation(visibility: internal)
extension Trait where Self == SeedTrait {
  /// Runs `explore` with one seed alone.
  ///
  /// - Parameter seed: the one that a failure has named.
  /// - Returns: the trait.
  public static func seed(_ seed: UInt64) -> Self { SeedTrait(seed: seed) }
}
