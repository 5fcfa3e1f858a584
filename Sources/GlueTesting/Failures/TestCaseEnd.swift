internal import Foundation
internal import Glue
internal import XCTest

/// Does something at the end of each test of XCTest, and fails for what that finds.
///
/// XCTest keeps test cases, and what they have in properties, until all tests are over; then a
/// failure can be reported no more.
final class TestCaseEnd: NSObject, XCTestObservation, Sendable {
  /// The only one, from when the program is loaded: a test that has begun can have no other end.
  static let shared: TestCaseEnd = {
    let end = TestCaseEnd()
    XCTestObservationCenter.shared.addTestObserver(end)
    return end
  }()

  private let actions = Guarded<[ObjectIdentifier: @Sendable () -> Void]>([:])

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

    /// Fails for what a test has left, by a test case of its own beside it.
    ///
    /// Teardown blocks run before `tearDown`, which may still receive and finish; after it the test
    /// itself can fail no more.
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

  /// Adds what is to be done for an object until it is removed.
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
  /// What a test case has left behind, as a test case that fails for it.
  private final class LeftBehind: XCTestCase {}
#endif

/// Is called when the program is loaded, by C, which has code that is run then.
@_cdecl("glue_testing_loaded") func glueTestingLoaded() {
  _ = TestCaseEnd.shared
}
