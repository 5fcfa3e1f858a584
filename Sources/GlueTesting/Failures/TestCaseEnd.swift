internal import Foundation
internal import Glue
internal import XCTest

/// Does something at the end of each test of XCTest, while the test can still fail.
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

  func testCaseWillStart(_ testCase: XCTestCase) {
    testCase.addTeardownBlock { [self] in
      for action in actions.withLock({ $0 }).values { action() }
    }
  }

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

/// Is called when the program is loaded, by C, which has code that is run then.
@_cdecl("glue_testing_loaded") func glueTestingLoaded() {
  _ = TestCaseEnd.shared
}
