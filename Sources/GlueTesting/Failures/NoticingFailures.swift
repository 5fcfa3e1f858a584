internal import Glue
package import Testing
internal import XCTest
internal import Describing

extension Framework {
  /// Runs a body, whose failures are reported as usual, and returns whether there were any.
  package nonisolated(nonsending) func fails(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    if let collector = FailureCollector.current { return await collector.fails(at: place, body) }
    switch self {
    case .swiftTesting: return await failsInSwiftTesting(at: place, body)
    case .xctest: return await failsInXCTest(at: place, body)
    }
  }

  /// Whether ``failsSilently(_:)`` can intercept failures.
  package var canFailSilently: Bool { self == .swiftTesting && Test.current != nil }

  /// Whether a body fails, without reporting it; false where failures can't be intercepted.
  package func failsSilently(_ body: @escaping @Sendable () async throws -> Void) async -> Bool {
    let collector = FailureCollector()
    let issues = await recordedIssues {
      await FailureCollector.$current.withValue(collector) { await report(body, at: .nowhere) }
    }
    return collector.hasFailed || issues.contains { !isWarning($0) }
  }

  /// Matches no failure as a known issue, so that all are reported.
  private nonisolated(nonsending) func failsInSwiftTesting(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    let fails = Locked(false)
    await withKnownIssue(isIntermittent: true) {
      await report(body, at: place)
    } matching: { issue in
      if !isWarning(issue) { fails.withLock { $0 = true } }
      return false
    }
    return fails.withLock { $0 }
  }

  private nonisolated(nonsending) func failsInXCTest(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    let observer = FailureObserver()
    XCTestObservationCenter.shared.addTestObserver(observer)
    defer { XCTestObservationCenter.shared.removeTestObserver(observer) }
    await report(body, at: place)
    return observer.hasFailed.withLock { $0 }
  }

  /// Runs a body and reports the error that it throws, if any, as a failure.
  nonisolated(nonsending) fileprivate func report(
    _ body: nonisolated(nonsending) () async throws -> Void, at place: Place
  ) async {
    do {
      try await body()
    } catch {
      let message = "The body threw an error: \(text(of: error))"
      Failure(message: message, place: place).report(to: self)
    }
  }
}

/// The issues that a body records in a test of Swift Testing, which reports none of them.
package func recordedIssues(
  of body: @escaping @Sendable () async throws -> Void
) async -> [Issue] {
  guard let test = Test.current else { return [] }
  let issues = Locked<[Issue]>([])
  let trait: IssueHandlingTrait = .compactMapIssues { issue in
    issues.withLock { $0.append(issue) }
    return nil
  }
  do {
    try await trait.provideScope(for: test, testCase: .current) { try await body() }
  } catch {
    _ = Issue.record(error)
  }
  return issues.withLock { $0 }
}

private func isWarning(_ issue: Issue) -> Bool {
  #if compiler(>=6.3)
    return issue.severity < .error
  #else
    return false
  #endif
}

extension FailureCollector {
  /// Whether it has a failure that is no warning.
  fileprivate var hasFailed: Bool { failureCount > 0 }

  /// How many failures are no warnings.
  private var failureCount: Int { failures.withLock { $0.count { !$0.isWarning } } }

  nonisolated(nonsending) fileprivate func fails(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    let before = failureCount
    await Framework.current.report(body, at: place)
    return failureCount > before
  }
}

/// Records failures while XCTest runs a test.
private final class FailureObserver: NSObject, XCTestObservation, Sendable {
  let hasFailed = Locked(false)

  func testCase(
    _ testCase: XCTestCase, didFailWithDescription description: String, inFile path: String?,
    atLine line: Int
  ) {
    hasFailed.withLock { $0 = true }
  }
}
