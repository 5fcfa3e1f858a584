/// An event that happens once and that one task waits for.
@usableFromInline
final class Completion: Sendable {
  private enum Phase {
    case pending
    case awaited(CheckedContinuation<Void, Never>)
    case complete
  }

  private let phase = Locked(Phase.pending)

  /// Ends the wait; no lock may be held.
  func complete() {
    let old = phase.withLock { phase in
      let old = phase
      phase = .complete
      return old
    }
    if case .awaited(let continuation) = old { continuation.resume() }
  }

  /// Returns when the event has happened, or when the calling task is canceled.
  nonisolated(nonsending) func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let isOver = phase.withLock { phase in
          if case .complete = phase { return true }
          phase = .awaited(continuation)
          return false
        }
        if isOver { continuation.resume() }
      }
    } onCancel: {
      complete()
    }
  }
}

/// The calls that wait for a condition of a store, by kinds of conditions.
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

    /// Nothing is pending or in flight.
    case settled

    /// A shutdown need not wait for effects any longer.
    case ended
  }

  /// In each list the first waiter is the first whose condition is met.
  private(set) var lists = [SlotList<Waiter>](repeating: SlotList(), count: 5)

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
  var awaitsDeliveries: Bool { kind < 2 }
}
