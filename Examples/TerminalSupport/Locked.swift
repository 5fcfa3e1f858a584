import Foundation

/// A value that threads use one at a time.
///
/// Sound because the value is used with the lock held alone. The lock is not a `Mutex`, whose slow
/// path the thread sanitizer does not see.
package final class Locked<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var value: Value

  package init(_ value: Value) {
    self.value = value
  }

  package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.withLock { body(&value) }
  }
}
