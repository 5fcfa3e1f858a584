import Foundation
import Glue
import GlueTesting

/// A number, steps, and an effect that says which step it was.
struct Counter: Sendable {
  var value = 0
}

enum CounterIntent: Intent, Equatable {
  case add(Int)
  case ignore
}

enum CounterEffect: Effect, Equatable {
  case wrote(Int)
}

func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
  if case .add(let number) = intent { state.value += number }
  return []
}

/// A log of events, in order, written by any thread.
///
/// Sound because the lines are used with the lock held alone. The lock is not a `Mutex`, whose slow
/// path the thread sanitizer does not see.
final class Transcript<Line: Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [Line] = []

  var lines: [Line] { lock.withLock { entries } }

  func write(_ line: Line) { lock.withLock { entries.append(line) } }
}

extension Xorshift {
  mutating func next(below limit: Int) -> Int {
    Int(next() >> 33) % limit
  }
}
