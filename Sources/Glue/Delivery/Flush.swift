/// Goes the way of the deliveries: through the outbox, then along with the calls that were moved
/// elsewhere, until all that was queued before it has been delivered.
///
/// Those who wait for that go on when this is released, so what is lost on the way keeps nobody
/// waiting.
@usableFromInline
final class Flush: Sendable {
  let waiters: Waiters

  init(for waiters: Waiters) { self.waiters = waiters }

  deinit {
    for completion in waiters.takeAll() { completion.complete() }
  }
}

/// Those who wait for a ``Flush``.
final class Waiters: Sendable {
  private let completions: Guarded<[Completion]>

  init(_ first: Completion...) { completions = Guarded(first) }

  var isEmpty: Bool { completions.withLock { $0.isEmpty } }

  func add(_ completion: Completion) {
    completions.withLock { $0.append(completion) }
  }

  /// - Returns: whether it was there.
  func remove(_ completion: Completion) -> Bool {
    completions.withLock { completions in
      let count = completions.count
      completions.removeAll { $0 === completion }
      return completions.count < count
    }
  }

  fileprivate func takeAll() -> [Completion] {
    completions.withLock { completions in
      defer { completions = [] }
      return completions
    }
  }
}
