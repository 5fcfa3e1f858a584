internal import Glue

/// The handlers that a test has given to its store.
final class Roster: Sendable {
  struct Entry: Sendable {
    /// The handler as messages name it.
    let name: String

    /// The type of the effects that it gets.
    let handled: String
    let handles: @Sendable (any Effect) -> Bool
    let isStub: Bool

    /// Whether lasting effects reach it too.
    let isAsync: Bool
  }

  private let content = Locked<[Entry]>([])

  var entries: [Entry] { content.withLock { $0 } }

  func add(
    _ name: String, of type: Any.Type, isStub: Bool = false, isAsync: Bool,
    handles: @escaping @Sendable (any Effect) -> Bool
  ) {
    let entry = Entry(
      name: name, handled: "\(type)", handles: handles, isStub: isStub, isAsync: isAsync)
    content.withLock { $0.append(entry) }
  }

  /// Whether there is a handler that a lasting effect of this type never reaches.
  func hasSynchronousHandler(of type: String) -> Bool {
    entries.contains { $0.handled == type && !$0.isAsync }
  }
}
