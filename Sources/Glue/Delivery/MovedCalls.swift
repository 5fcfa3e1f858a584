/// The calls that deliveries have moved elsewhere, such as to a queue, and that have not returned.
struct MovedCalls: Sendable {
  /// How many there are.
  private(set) var count = 0
  private var lastNumber = 0
  private var flushes: [Passing] = []

  /// A flush that waits for the calls up to a number.
  private struct Passing: Sendable {
    let flush: Flush
    let lastNumber: Int
    var count: Int
  }

  var isEmpty: Bool { count == 0 }

  /// Adds a call, and returns its number.
  mutating func begin() -> Int {
    count += 1
    lastNumber += 1
    return lastNumber
  }

  /// Removes a call.
  ///
  /// - Returns: the flushes that have waited long enough.
  mutating func end(_ number: Int) -> [Flush] {
    count -= 1
    if flushes.isEmpty { return [] }
    for index in flushes.indices where number <= flushes[index].lastNumber {
      flushes[index].count -= 1
    }
    defer { flushes.removeAll { $0.count == 0 } }
    return flushes.filter { $0.count == 0 }.map(\.flush)
  }

  /// Has a flush wait for all calls there are.
  mutating func wait(_ flush: Flush) {
    if !isEmpty { flushes.append(Passing(flush: flush, lastNumber: lastNumber, count: count)) }
  }

  /// Removes the flushes for which nobody waits any more, and returns them.
  mutating func takeForgotten() -> [Flush] {
    let forgotten = flushes.map(\.flush).filter(\.waiters.isEmpty)
    if !forgotten.isEmpty { flushes.removeAll { $0.flush.waiters.isEmpty } }
    return forgotten
  }

  /// Has somebody wait for all calls there are.
  ///
  /// - Returns: those who wait for the same; nil if there are none.
  mutating func flush(for completion: Completion) -> Waiters? {
    if isEmpty { return nil }
    let waiters = Waiters(completion)
    wait(Flush(for: waiters))
    return waiters
  }
}

/// A call that was moved elsewhere; it has returned, or was lost, when nobody holds this any more.
final class MovedCall: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
