/// Something that a journal writes when its turn in the outbox has come, before anything behind it
/// is delivered (J3).
@usableFromInline
package protocol Written: AnyObject, Sendable {
  /// Writes this and what follows it; no lock is held.
  ///
  /// - Parameters:
  ///   - all: what there is to write, this first, at most 1,000.
  ///   - rest: gives what is behind these.
  /// - Returns: how many were written, at least one.
  func write(_ all: [any Written], before rest: () -> [any Written]) -> Int
}

/// What writes the records whose turns are in the outbox.
@usableFromInline
protocol RecordWriting: AnyObject, Sendable {
  /// Writes the oldest record, unless it was written together with one before it.
  func writeNext()
}

/// The records of a journal that wait for their turn in the outbox.
final class Records: RecordWriting {
  fileprivate struct Content {
    var queued: [(any Written)?] = []
    var head = 0

    /// How many were written before their turn.
    var ahead = 0
  }

  private let content = Guarded(Content())

  /// Records which effects have ended, in a commit's record or in one that it returns.
  let ended: @Sendable ([Cause], (any Written)?) -> (any Written)?

  init(ended: @escaping @Sendable ([Cause], (any Written)?) -> (any Written)?) {
    self.ended = ended
  }

  /// Those that are not written, oldest first.
  var all: [any Written] { content.withLock { $0.queued.compactMap { $0 } } }

  func append(_ record: any Written) {
    content.withLock { $0.queued.append(record) }
  }

  /// One write takes many, so that they share a sync.
  ///
  /// Deliveries never overlap, so neither do writes.
  func writeNext() {
    var next = content.withLock { content -> [any Written] in
      if content.ahead > 0 {
        content.ahead -= 1
        return []
      }
      return content.queued[content.head...].prefix(1000).compactMap { $0 }
    }
    if next.isEmpty { return }
    let count = next[0].write(next) { [count = next.count] in Array(self.all.dropFirst(count)) }
    content.withLock { $0.remove(count) }
    release(&next)
  }
}

extension Records.Content {
  /// Removes what was written; the caller holds it, so nothing is released here.
  ///
  /// - Complexity: O(1) for each, amortized.
  fileprivate mutating func remove(_ count: Int) {
    for index in head..<head + count { queued[index] = nil }
    head += count
    ahead = count - 1
    if head * 2 < queued.count { return }
    queued.removeSubrange(..<head)
    head = 0
  }
}
