import Dispatch
import Foundation
import Glue
import Synchronization

/// Several threads that dispatch at once; the time is that of all, divided by all operations.
func threadGroup() -> Group {
  Group(
    name: "threads",
    subjects: [1, 2, 4, 10].map(floor) + [1, 2, 4, 10].map(dispatching)
      + [2, 4].map(longestCall))
}

private func floor(_ threads: Int) -> Subject {
  Subject(name: "floor of \(threads)", floor: nil, isSerial: false) {
    let locked = Locked(Counter(), counter)
    return Work(
      run: { count in
        onThreads(threads, sharing: count) { share in
          for _ in 0..<share { locked.reduce(CounterIntent.add(1)) }
        }
      },
      isDone: { total in locked.mutex.withLock { $0.value } == total })
  }
}

private func dispatching(_ threads: Int) -> Subject {
  Subject(name: "\(threads)", floor: "floor of \(threads)", isSerial: false) {
    let store = Store(state: Counter(), reducer: counter)
    return Work(
      run: { count in
        onThreads(threads, sharing: count) { share in
          for _ in 0..<share { store.dispatch(CounterIntent.add(1)) }
        }
      },
      isDone: { total in store.state.value == total })
  }
}

/// The longest call of a run in which a subscriber is told each commit, which makes the calls
/// deliver for one another (G12).
private func longestCall(_ threads: Int) -> Subject {
  Subject(name: "\(threads), longest call", floor: nil, isSerial: false) {
    let store = Store(state: Counter(), reducer: counter)
    let end = Milestone()
    let subscription = store.subscribe(selector: { $0.value }, handler: end.pass)
    let longest = Mutex(0.0)
    var total = 0
    return Work(
      run: { count in
        total += count
        longest.withLock { $0 = 0 }
        end.set(total)
        onThreads(threads, sharing: count) { share in
          let time = longestDispatch(of: share, to: store)
          longest.withLock { $0 = max($0, time) }
        }
        end.wait()
      },
      reading: { longest.withLock { $0 } },
      isDone: { total in
        withExtendedLifetime(subscription) { store.state.value == total }
      })
  }
}

/// How many nanoseconds the longest of some calls took.
private func longestDispatch(of count: Int, to store: Store<Counter>) -> Double {
  var longest = 0.0
  for _ in 0..<count {
    longest = max(longest, nanoseconds { store.dispatch(CounterIntent.add(1)) })
  }
  return longest
}

/// A number that deliveries come to, and that another thread waits for.
private final class Milestone: Sendable {
  private let number = Atomic(-1)
  private let reached = DispatchSemaphore(value: 0)

  func set(_ number: Int) { self.number.store(number, ordering: .releasing) }

  func pass(_ number: Int) {
    if number == self.number.load(ordering: .acquiring) { reached.signal() }
  }

  func wait() { reached.wait() }
}

/// Divides a number of operations among threads that begin at once, and waits for all.
private func onThreads(
  _ threads: Int, sharing count: Int, _ body: @escaping @Sendable (_ share: Int) -> Void
) {
  let group = DispatchGroup()
  for thread in 0..<threads {
    group.enter()
    Thread.detachNewThread {
      body(count / threads + (thread < count % threads ? 1 : 0))
      group.leave()
    }
  }
  group.wait()
}
