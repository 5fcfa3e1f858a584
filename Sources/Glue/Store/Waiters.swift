/// The calls that wait for something of a store, by the kind of what they wait for.
///
/// `@unchecked Sendable` is sound because the store's lock guards it.
@usableFromInline
final class Waiters: @unchecked Sendable {
  enum Condition {
    /// A mark in the outbox is reached; then ``calls``.
    case mark(Int)

    /// So many posted bodies have ended; then ``calls``.
    case bodies(Int)

    /// The calls in flight up to a number have returned.
    case calls(Int)

    /// Nothing is going on.
    case settled

    /// A shutdown need not wait for effects any more.
    case ended
  }

  /// The first one of each kind is the first whose condition is met.
  fileprivate var lists = [SlotList<Waiter>](repeating: SlotList(), count: 5)

  var isEmpty: Bool { lists.allSatisfy(\.isEmpty) }

  func add(_ waiter: Waiter, until condition: Condition) {
    waiter.condition = condition
    lists[condition.kind].append(waiter)
  }

  /// Removes a waiter, in O(1), amortized.
  ///
  /// - Returns: what it was waiting for, if it was.
  func remove(_ waiter: Waiter) -> Condition? {
    guard let condition = waiter.condition.take() else { return nil }
    _ = lists[condition.kind].remove(at: waiter.slot)
    return condition
  }
}

/// A call that waits.
///
/// `@unchecked Sendable` is sound because the store's lock guards what varies.
final class Waiter: Slotted, @unchecked Sendable {
  let completion = Completion()
  var slot = 0

  /// What it waits for; nil once it need not wait any more.
  fileprivate(set) var condition: Waiters.Condition?
}

extension Waiters.Condition {
  fileprivate var kind: Int {
    switch self {
    case .mark: 0
    case .bodies: 1
    case .calls: 2
    case .settled: 3
    case .ended: 4
    }
  }

  /// Whether what waits for it then waits for calls in flight.
  fileprivate var awaitsDeliveries: Bool { kind < 2 }
}

extension PendingWork {
  /// Adds a waiter for a condition.
  mutating func wait(_ waiter: Waiter = Waiter(), until condition: Waiters.Condition) -> Waiter {
    let waiters = waiters ?? Waiters()
    self.waiters = waiters
    waiters.add(waiter, until: condition)
    return waiter
  }

  /// Waits for all that is queued now and for the calls in flight then; nil if there is nothing.
  mutating func waitForDeliveries(by thread: ThreadID) -> Waiter? {
    if outbox.isEmpty && !outbox.isDraining { return waitForCalls() }
    return wait(until: .mark(outbox.appendMark(by: thread)))
  }

  /// Waits for the body that runs and for the calls in flight then; nil if there is nothing.
  mutating func waitForRunningBody() -> Waiter? {
    outbox.takenCount == 0 ? waitForCalls() : wait(until: .bodies(outbox.endedBodies + 1))
  }

  private mutating func waitForCalls(_ waiter: Waiter = Waiter()) -> Waiter? {
    outbox.calls.isEmpty ? nil : wait(waiter, until: .calls(outbox.calls.last))
  }

  /// Removes a waiter.
  ///
  /// - Returns: whether it was still waiting.
  mutating func remove(_ waiter: Waiter) -> Bool {
    let isWaiting = waiters?.remove(waiter) != nil
    if waiters?.isEmpty == true { waiters = nil }
    return isWaiting
  }

  /// Completes the waiters whose condition is met.
  mutating func completeWaiters() {
    guard let waiters else { return }
    for kind in waiters.lists.indices {
      while let first = waiters.lists[kind].first, let condition = first.condition, isMet(condition)
      {
        _ = waiters.remove(first)
        if condition.awaitsDeliveries, waitForCalls(first) != nil { continue }
        effects.deferred.append(.complete(first.completion))
      }
    }
    if waiters.isEmpty { self.waiters = nil }
  }

  private func isMet(_ condition: Waiters.Condition) -> Bool {
    switch condition {
    case .mark(let mark): mark <= outbox.passedMarks
    case .bodies(let count): count <= outbox.endedBodies
    case .calls(let last): last < outbox.calls.first
    case .settled: isIdle
    case .ended: effects.hasEnded
    }
  }
}
