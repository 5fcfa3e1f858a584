import Dispatch
import Foundation
import Glue
import Synchronization

/// Threads with less work than a slice of the scheduler's run one after another.
private let sampleTime = Duration.milliseconds(100)

/// Several threads that dispatch at once; the time is that of all, divided by all operations.
func threadGroup() -> Group {
  let counts = [1, 2, 4, 8, 16]
  let several = counts.dropFirst()
  return Group(
    name: "threads",
    subjects: counts.map { bare($0, "Mutex", BareMutex.self) }
      + counts.map { bare($0, "pthread mutex", BarePthreadMutex.self) }
      + counts.map { bare($0, "bare", BareStoreLock.self) }
      + counts.map { dispatching($0) } + counts.map(changing)
      + several.map { switches(dispatching($0)) } + several.map { switches(changing($0)) }
      + [2, 4].map(longestCall) + [largestShare(16)])
}

/// Taking a lock and reducing: no store can do less.
private func bare<Lock: BareLock>(_ threads: Int, _ name: String, _: Lock.Type) -> Subject {
  Subject(name: "\(threads), \(name)", floor: nil, sampleTime: sampleTime, isSerial: false) {
    let lock = Lock()
    return Work(
      run: { count in onThreads(threads, sharing: count) { lock.add() } },
      isDone: { total in lock.value == total })
  }
}

private func dispatching(_ threads: Int) -> Subject {
  Subject(name: "\(threads)", floor: "\(threads), bare", sampleTime: sampleTime, isSerial: false) {
    let store = Store(state: Counter(), reducer: counter)
    return Work(
      run: { count in
        onThreads(threads, sharing: count) { store.dispatch(CounterIntent.add(1)) }
      },
      isDone: { total in store.state.value == total })
  }
}

/// With a subscriber that gets each commit; the time is that until the last delivery.
private func changing(_ threads: Int) -> Subject {
  Subject(
    name: "\(threads), 1 changed", floor: "\(threads), bare", sampleTime: sampleTime,
    isSerial: false
  ) {
    let store = WatchedStore()
    return Work(
      run: { count in
        store.expect(count)
        onThreads(threads, sharing: count) { store.add() }
        store.end.wait()
      },
      isDone: { total in store.total == total && store.store.state.value == total })
  }
}

/// How often threads are switched in 1,000 operations of a subject.
private func switches(_ subject: Subject) -> Subject {
  Subject(
    name: "\(subject.name), switches", floor: nil, sampleTime: sampleTime, unit: .switches,
    isSerial: false
  ) {
    let work = subject.prepare()
    var rate = 0.0
    return Work(
      run: { count in
        let before = switchCount()
        work.run(count)
        rate = Double(switchCount() - before) * 1000 / Double(count)
      },
      reading: { rate },
      isDone: work.isDone)
  }
}

/// How often the process's threads gave up a processor or lost it.
private func switchCount() -> Int {
  var usage = rusage()
  getrusage(0, &usage)  // RUSAGE_SELF, whose type differs among C libraries
  return usage.ru_nvcsw + usage.ru_nivcsw
}

/// The longest call of a run, in which the calls deliver for one another (G12).
private func longestCall(_ threads: Int) -> Subject {
  Subject(name: "\(threads), longest call", floor: nil, isSerial: false) {
    let store = WatchedStore()
    let longest = Mutex(0.0)
    return Work(
      run: { count in
        store.expect(count)
        longest.withLock { $0 = 0 }
        onThreads(threads, sharing: count) { share in
          let time = longestAddition(of: share, to: store)
          longest.withLock { $0 = max($0, time) }
        }
        store.end.wait()
      },
      reading: { longest.withLock { $0 } },
      isDone: { total in store.store.state.value == total })
  }
}

/// How many nanoseconds the longest of some calls took.
private func longestAddition(of count: Int, to store: WatchedStore) -> Double {
  var longest = 0.0
  for _ in 0..<count { longest = max(longest, nanoseconds { store.add() }) }
  return longest
}

/// The ratio of the most calls of a thread to the fewest, in 2 seconds.
private func largestShare(_ threads: Int) -> Subject {
  Subject(
    name: "\(threads), largest share of all", floor: nil, count: threads, unit: .ratio,
    isSerial: false
  ) {
    let store = Store(state: Counter(), reducer: counter)
    let shares = Mutex<[Int]>([])
    var (total, dispatched) = (0, 0)
    return Work(
      run: { count in
        shares.withLock { $0 = [] }
        let end = ContinuousClock.now + .seconds(2)
        onThreads(threads, sharing: count) { (_: Int) in
          var share = 0
          while share % 100 != 0 || ContinuousClock.now < end {
            store.dispatch(CounterIntent.add(1))
            share += 1
          }
          shares.withLock { $0.append(share) }
        }
        total += count
        dispatched += shares.withLock { $0.reduce(0, +) }
      },
      reading: { shares.withLock { Double($0.max() ?? 0) / Double($0.min() ?? 1) } },
      isDone: { $0 == total && store.state.value == dispatched })
  }
}

/// A store with a subscriber that waits for a commit.
private final class WatchedStore: Sendable {
  let store = Store(state: Counter(), reducer: counter)
  let end = Milestone()
  private let sum = Mutex(0)
  private let subscription: Subscription

  init() {
    subscription = store.subscribe(selector: { $0.value }, handler: end.pass)
  }

  /// How many intents were expected.
  var total: Int { sum.withLock { $0 } }

  /// Moves the end by that many more intents.
  func expect(_ count: Int) {
    end.set(
      sum.withLock { sum in
        sum += count
        return sum
      })
  }

  func add() { store.dispatch(CounterIntent.add(1)) }
}

/// A number that deliveries reach, and that another thread waits for.
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
  _ threads: Int, sharing count: Int, _ operation: @escaping @Sendable () -> Void
) {
  onThreads(threads, sharing: count) { share in
    for _ in 0..<share { operation() }
  }
}

private func onThreads(
  _ threads: Int, sharing count: Int, _ body: @escaping @Sendable (_ share: Int) -> Void
) {
  let group = DispatchGroup()
  let start = DispatchSemaphore(value: 0)
  for thread in 0..<threads {
    group.enter()
    Thread.detachNewThread {
      start.wait()
      start.signal()
      body(count / threads + (thread < count % threads ? 1 : 0))
      group.leave()
    }
  }
  start.signal()
  group.wait()
  start.wait()
}
