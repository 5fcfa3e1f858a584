internal import Glue
package import Testing
internal import XCTest
internal import GlueDescribing

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

/// A failure of a test, as another process can report it.
package struct CollectedFailure: Codable, Sendable {
  package let message: String
  package let isWarning: Bool
  private let fileID: String?
  private let filePath: String?
  private let line: Int
  private let column: Int

  fileprivate init(_ issue: Issue) {
    // The description of a helper's own failure would name its kind first.
    let comments = issue.comments.map(\.rawValue).joined(separator: "\n")
    if case .unconditional = issue.kind { message = comments } else { message = "\(issue)" }
    isWarning = GlueTesting.isWarning(issue)
    let place = issue.sourceLocation
    #if compiler(>=6.3)
      filePath = place?.filePath
    #else
      filePath = place?._filePath
    #endif
    (fileID, line, column) = (place?.fileID, place?.line ?? 1, place?.column ?? 1)
  }

  /// Fails the current test where the failure came, or at a place if that is unknown.
  package func report(at place: Place) {
    guard FailureCollector.current == nil, let fileID, let filePath else {
      return Failure(message: message, place: place, isWarning: isWarning).report(to: .current)
    }
    let location = SourceLocation(
      fileID: fileID, filePath: filePath, line: line, column: column)
    #if compiler(>=6.3)
      Issue.record(
        Comment(rawValue: message), severity: isWarning ? .warning : .error,
        sourceLocation: location)
    #else
      Issue.record(Comment(rawValue: message), sourceLocation: location)
    #endif
  }
}

/// The failures of the current test while a body runs, none of which is reported.
package func collectedFailures(
  of body: @escaping @Sendable () async -> Void
) async -> [CollectedFailure] {
  let issues = await recordedIssues {
    await FailureCollector.$current.withValue(nil) { await body() }
  }
  return issues.map { CollectedFailure($0) }
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
