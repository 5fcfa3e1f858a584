internal import Foundation
internal import Glue
internal import XCTest

/// Runs actions at the end of each XCTest test, and fails the test for what they find.
///
/// XCTest keeps test cases and their properties until all tests have ended, when it is too late to
/// report a failure.
final class TestCaseEnd: NSObject, XCTestObservation, Sendable {
  /// The only one, created when the program is loaded: a test that has begun can't get another end.
  static let shared: TestCaseEnd = {
    let end = TestCaseEnd()
    XCTestObservationCenter.shared.addTestObserver(end)
    return end
  }()

  private let actions = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

  #if canImport(Darwin)
    func testCaseWillStart(_ testCase: XCTestCase) {
      testCase.addTeardownBlock { [self] in
        for action in actions.withLock({ $0 }).values { action() }
      }
    }
  #else
    /// The suites that run, innermost last.
    ///
    /// Sound, because XCTest calls its observers on one thread.
    nonisolated(unsafe) private var suites: [XCTestSuite] = []

    func testSuiteWillStart(_ testSuite: XCTestSuite) { suites.append(testSuite) }
    func testSuiteDidFinish(_ testSuite: XCTestSuite) { suites.removeLast() }

    /// Fails for a test's leftovers, by a test case of its own beside it.
    ///
    /// Teardown blocks run before `tearDown`, which may still receive and finish; after `tearDown`
    /// the test itself can't fail any more.
    func testCaseDidFinish(_ testCase: XCTestCase) {
      let collector = FailureCollector()
      FailureCollector.$current.withValue(collector) {
        for action in actions.withLock({ $0 }).values { action() }
      }
      let failures = collector.failures.withLock { $0 }
      if failures.isEmpty { return }
      let leftovers = LeftBehind(name: testCase.name) { _ in
        for failure in failures { failure.report(to: .xctest) }
      }
      leftovers.run()
      guard let run = leftovers.testRun else { return }
      (suites.last?.testRun as? XCTestSuiteRun)?.addTestRun(run)
    }
  #endif

  /// Adds an action for an object, until it is removed.
  func add(_ object: AnyObject, _ action: @escaping @Sendable () -> Void) {
    let id = ObjectIdentifier(object)
    _ = actions.withLock { $0.updateValue(action, forKey: id) }
  }

  func remove(_ object: AnyObject) {
    let id = ObjectIdentifier(object)
    _ = actions.withLock { $0.removeValue(forKey: id) }
  }
}

#if !canImport(Darwin)
  /// A test's leftovers, as a test case that fails for them.
  private final class LeftBehind: XCTestCase {}
#endif

/// Called when the program is loaded, by code in C, which can run then.
@_cdecl("glue_testing_loaded") func glueTestingLoaded() {
  _ = TestCaseEnd.shared
}
