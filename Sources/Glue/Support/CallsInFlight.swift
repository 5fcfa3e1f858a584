/// The numbered calls that deliveries have moved to a queue or to the main actor.
struct CallsInFlight: Sendable {
  private var hasReturned: [Bool] = []
  private var base = 1
  private var head = 0

  /// How many haven't returned.
  private(set) var count = 0

  var isEmpty: Bool { count == 0 }

  /// The number of the newest call.
  var last: Int { base + hasReturned.count - 1 }

  /// The number of the oldest call in flight; above `last` if there is none.
  var first: Int { base + head }

  /// Adds a call, and returns its number.
  mutating func begin() -> Int {
    count += 1
    hasReturned.append(false)
    return last
  }

  /// - Complexity: O(1), amortized.
  mutating func end(_ number: Int) {
    count -= 1
    hasReturned[number - base] = true
    while head < hasReturned.count, hasReturned[head] { head += 1 }
    if head < 64 || head < hasReturned.count / 2 { return }
    hasReturned.removeSubrange(..<head)
    base += head
    head = 0
  }
}

/// A call in flight elsewhere: deinit marks it as finished, whether it was made or lost.
final class CallInFlight: Sendable {
  private let end: @Sendable () -> Void

  init(end: @escaping @Sendable () -> Void) { self.end = end }

  deinit { end() }
}
