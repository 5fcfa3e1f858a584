import Synchronization

/// The newest value, for any number of readers, each of which gets the newest that it has not had.
///
/// A reader that is slow skips what came meanwhile, so nothing is queued for it but one value.
final class Newest<Value: Sendable>: Sendable {
  private struct Content {
    var value: Value?
    var isOver = false
    var readers: [Int: AsyncStream<Value>.Continuation] = [:]
    var readerCount = 0
  }

  private let content = Mutex(Content())

  /// How many are reading.
  var readerCount: Int { content.withLock { $0.readers.count } }

  /// Gives a value to all readers, those that come later included; to be called by one task alone.
  func publish(_ value: Value) {
    let readers = content.withLock { content in
      content.value = value
      return Array(content.readers.values)
    }
    for reader in readers { reader.yield(value) }
  }

  /// Ends all readers, those that come later included.
  func finish() {
    let readers = content.withLock { content in
      content.isOver = true
      return Array(content.readers.values)
    }
    for reader in readers { reader.finish() }
  }

  /// The newest value, if there is one, and each newer one; for one loop.
  func values() -> AsyncStream<Value> {
    let (values, reader) = AsyncStream.makeStream(
      of: Value.self, bufferingPolicy: .bufferingNewest(1))
    let id: Int? = content.withLock { content in
      if let value = content.value { reader.yield(value) }
      if content.isOver { return nil }
      content.readerCount += 1
      content.readers[content.readerCount] = reader
      return content.readerCount
    }
    guard let id else {
      reader.finish()
      return values
    }
    reader.onTermination = { [weak self] _ in
      _ = self?.content.withLock { $0.readers.removeValue(forKey: id) }
    }
    return values
  }
}
