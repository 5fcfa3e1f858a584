import Foundation

/// A value that any thread sets and gets, such as a store that its own handlers must find.
///
/// Sound because the value is used with the lock held alone. The lock is not a `Mutex`, whose slow
/// path the thread sanitizer does not see.
final class Shared<Value: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var content: Value

  init(_ value: Value) { content = value }

  var value: Value {
    get { change { $0 } }
    set { exchange(newValue) }
  }

  /// Sets the value and returns the old one, which is released unlocked.
  @discardableResult
  func exchange(_ new: Value) -> Value {
    change { value in
      defer { value = new }
      return value
    }
  }

  /// Changes the value; what the body returns is released unlocked.
  @discardableResult
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    let result = lock.withLock { body(&content) }
    withExtendedLifetime(result) {}
    return result
  }
}

/// A log of events, in order, written by any thread.
final class Transcript<Line: Sendable>: Sendable {
  private let entries = Shared<[Line]>([])

  var lines: [Line] { entries.value }

  func write(_ line: Line) {
    entries.change { $0.append(line) }
  }
}

/// Does something when the last reference to it goes.
final class OnDeinit: Sendable, Equatable {
  private let action: @Sendable () -> Void

  init(_ action: @escaping @Sendable () -> Void) { self.action = action }

  deinit { action() }

  static func == (a: OnDeinit, b: OnDeinit) -> Bool { true }
}

/// A reference that keeps nothing alive.
struct Weak<Object: AnyObject> {
  weak var object: Object?
}
