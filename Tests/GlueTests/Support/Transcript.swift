import Synchronization

/// What happened, in order, written by any thread.
final class Transcript<Line: Sendable>: Sendable {
  private let entries = Mutex<[Line]>([])

  var lines: [Line] { entries.withLock { $0 } }

  func write(_ line: Line) {
    entries.withLock { $0.append(line) }
  }
}

/// A value that any thread sets and gets, such as a store that its own handlers must find.
final class Shared<Value: Sendable>: Sendable {
  private let content: Mutex<Value>

  init(_ value: Value) { content = Mutex(value) }

  var value: Value {
    get { content.withLock { $0 } }
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

  @discardableResult
  func change<Result: Sendable>(_ body: (inout Value) -> Result) -> Result {
    content.withLock { body(&$0) }
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
