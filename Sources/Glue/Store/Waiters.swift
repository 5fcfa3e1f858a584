/// The calls that wait for a condition of a store, by kinds of conditions.
///
/// `@unchecked Sendable` is sound because the store's lock guards it.
@usableFromInline
final class Waiters: @unchecked Sendable {
  enum Condition {
    /// A mark in the outbox is reached. Then the waiter waits for ``calls``.
    case mark(Int)

    /// So many posted bodies have ended. Then the waiter waits for ``calls``.
    case bodies(Int)

    /// The calls in flight up to a number have returned.
    case calls(Int)

    /// Nothing is pending or in flight.
    case settled

    /// A shutdown need not wait for effects any longer.
    case ended
  }

  /// In each list the first waiter is the first whose condition is met.
  fileprivate var lists = [SlotList<Waiter>](repeating: SlotList(), count: 5)

  var isEmpty: Bool { lists.allSatisfy(\.isEmpty) }

  func add(_ waiter: Waiter, until condition: Condition) {
    waiter.condition = condition
    lists[condition.kind].append(waiter)
  }

  /// Removes a waiter, in O(1), amortized.
  ///
  /// - Returns: whether it was still waiting.
  func remove(_ waiter: Waiter) -> Bool {
    guard let condition = waiter.condition.take() else { return false }
    _ = lists[condition.kind].remove(at: waiter.slot)
    return true
  }
}

/// A call that waits.
///
/// `@unchecked Sendable` is sound because the store's lock guards its variables.
final class Waiter: Slotted, @unchecked Sendable {
  let completion = Completion()
  var slot = 0

  /// The condition that it waits for; nil once met.
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

  /// Whether it waits for calls in flight after this condition.
  fileprivate var awaitsDeliveries: Bool { kind < 2 }
}

extension StoreRuntime {
  /// Adds a waiter for a condition; nil if that is met.
  mutating func wait(_ waiter: Waiter? = nil, until condition: Waiters.Condition) -> Waiter? {
    if isMet(condition) { return nil }
    let (waiter, waiters) = (waiter ?? Waiter(), waiters ?? Waiters())
    self.waiters = waiters
    waiters.add(waiter, until: condition)
    return waiter
  }

  /// Waits for all pending entries and calls in flight; nil if there are none.
  mutating func waitForDeliveries(
    by thread: ThreadID, passing mark: @escaping @Sendable () -> Void
  ) -> Waiter? {
    if outbox.isEmpty && !outbox.isDraining { return waitForCalls() }
    return wait(until: .mark(outbox.append(mark: mark, by: thread)))
  }

  /// Waits for the running body and the calls in flight; nil if there are none.
  mutating func waitForRunningBody() -> Waiter? {
    outbox.takenCount == 0
      ? waitForCalls() : wait(until: .bodies((outbox.drainer?.endedBodies ?? 0) + 1))
  }

  private mutating func waitForCalls(_ waiter: Waiter? = nil) -> Waiter? {
    wait(waiter, until: .calls(outbox.calls.last))
  }

  /// Removes a waiter.
  ///
  /// - Returns: whether it was still waiting.
  mutating func remove(_ waiter: Waiter) -> Bool {
    let isWaiting = waiters?.remove(waiter) == true
    if waiters?.isEmpty == true { waiters = nil }
    return isWaiting
  }

  /// Completes the waiters whose condition is met.
  ///
  /// Each list is in the order in which conditions are met. The lists whose waiters wait for calls
  /// next come before the calls' list.
  mutating func completeWaiters() {
    guard let waiters else { return }
    for kind in waiters.lists.indices {
      while let first = waiters.lists[kind].first, let condition = first.condition, isMet(condition)
      {
        _ = waiters.remove(first)
        if condition.awaitsDeliveries, waitForCalls(first) != nil { continue }
        effects.deferred.completions.append(first.completion)
      }
    }
    if waiters.isEmpty { self.waiters = nil }
  }

  private func isMet(_ condition: Waiters.Condition) -> Bool {
    switch condition {
    case .mark(let mark): mark <= outbox.drainer?.passedMarks ?? 0
    case .bodies(let count): count <= outbox.drainer?.endedBodies ?? 0
    case .calls(let last): last < outbox.calls.first
    case .settled: isIdle
    case .ended: effects.hasEnded
    }
  }
}
