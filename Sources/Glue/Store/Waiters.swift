/// The calls that wait for something of a store, listed by what they wait for.
///
/// A list is looked at only where its condition may have come true. `@unchecked Sendable` is sound
/// because the store's lock guards it.
@usableFromInline
final class Waiters: @unchecked Sendable {
  enum Condition {
    /// A mark in the outbox is reached; then ``calls``.
    case mark(Int)

    /// The posted body that runs has ended; then ``calls``.
    case body

    /// The calls in flight up to a number have returned.
    case calls(Int)

    /// Nothing is going on.
    case settled

    /// A shutdown need not wait for effects any more.
    case ended
  }

  private var lists = [SlotList<Waiter>](repeating: SlotList(), count: 5)

  func add(_ waiter: Waiter, until condition: Condition) {
    waiter.condition = condition
    lists[condition.index].append(waiter)
  }

  /// Removes a waiter.
  ///
  /// - Returns: whether it was still waiting.
  /// - Complexity: O(1), amortized.
  func remove(_ waiter: Waiter) -> Bool {
    guard let condition = waiter.condition else { return false }
    waiter.condition = nil
    _ = lists[condition.index].remove(at: waiter.slot)
    return true
  }

  /// Removes the oldest waiter for a kind of condition, if its condition is met.
  func removeFirst(_ kind: Condition, if isMet: (Condition) -> Bool) -> Waiter? {
    guard let first = lists[kind.index].first, let condition = first.condition, isMet(condition)
    else { return nil }
    _ = remove(first)
    return first
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
  fileprivate var index: Int {
    switch self {
    case .mark: 0
    case .body: 1
    case .calls: 2
    case .settled: 3
    case .ended: 4
    }
  }
}

extension PendingWork {
  /// Adds a waiter for a condition, which may have waited for another one before.
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
    outbox.takenCount == 0 ? waitForCalls() : wait(until: .body)
  }

  private mutating func waitForCalls(_ waiter: Waiter = Waiter()) -> Waiter? {
    outbox.calls.isEmpty ? nil : wait(waiter, until: .calls(outbox.calls.last))
  }

  /// Passes waiters on whose mark was reached or lost.
  mutating func passMarks() {
    let passed = outbox.passedMarks
    pass(.mark(0)) { if case .mark(let mark) = $0 { mark <= passed } else { false } }
  }

  /// Passes waiters on that wait for the posted body that has just ended.
  mutating func endBody() { pass(.body) { _ in true } }

  private mutating func pass(_ kind: Waiters.Condition, if isMet: (Waiters.Condition) -> Bool) {
    while let waiter = waiters?.removeFirst(kind, if: isMet) {
      if waitForCalls(waiter) == nil { effects.deferred.append(.complete(waiter.completion)) }
    }
  }

  /// Completes the waiters whose condition is met.
  mutating func completeWaiters() {
    if waiters == nil { return }
    let firstCall = outbox.calls.first
    complete(.calls(0)) { if case .calls(let last) = $0 { last < firstCall } else { false } }
    if effects.hasEnded { complete(.ended) { _ in true } }
    if isIdle { complete(.settled) { _ in true } }
  }

  private mutating func complete(
    _ kind: Waiters.Condition, if isMet: (Waiters.Condition) -> Bool
  ) {
    while let waiter = waiters?.removeFirst(kind, if: isMet) {
      effects.deferred.append(.complete(waiter.completion))
    }
  }
}
