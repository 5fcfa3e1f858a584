internal import Glue
internal import Testing
internal import XCTest

extension Framework {
  /// Runs a body, whose failures are reported as usual, and tells whether there were any.
  nonisolated(nonsending) func fails(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    if let collector = FailureCollector.current { return await collector.fails(at: place, body) }
    switch self {
    case .swiftTesting: return await failsInSwiftTesting(at: place, body)
    case .xctest: return await failsInXCTest(at: place, body)
    }
  }

  /// Says of no failure that it is a known issue, so that all are reported.
  private nonisolated(nonsending) func failsInSwiftTesting(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    let fails = Guarded(false)
    await withKnownIssue(isIntermittent: true) {
      await report(body, at: place)
    } matching: { _ in
      fails.withLock { $0 = true }
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

extension FailureCollector {
  nonisolated(nonsending) fileprivate func fails(
    at place: Place, _ body: nonisolated(nonsending) () async throws -> Void
  ) async -> Bool {
    let before = failures.withLock { $0.count }
    await Framework.current.report(body, at: place)
    return failures.withLock { $0.count } > before
  }
}

/// Notices failures while XCTest runs a test.
private final class FailureObserver: NSObject, XCTestObservation, Sendable {
  let hasFailed = Guarded(false)

  func testCase(
    _ testCase: XCTestCase, didFailWithDescription description: String, inFile path: String?,
    atLine line: Int
  ) {
    hasFailed.withLock { $0 = true }
  }
}
