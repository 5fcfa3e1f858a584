import Dispatch
import Foundation
import GlueTesting
import Synchronization
import ProcessSupport

extension Xorshift {
  mutating func next(below limit: Int) -> Int {
    Int(next() >> 33) % limit
  }
}

/// Runs threads of which exactly one runs at a time, the holder of a baton, as a seed decides.
///
/// Where the holder calls `step()`, the seed picks the next thread; a thread that ends passes the
/// baton on. So a run is a pure function of the seed. A thread must not call `step()` while it
/// holds a lock that others take: the next holder of the baton would wait for the lock forever.
///
/// Passing the baton orders all memory accesses. So this finds faults of a protocol on any
/// hardware, but no missing barriers: for these there is the thread sanitizer, with free threads.
final class Interleaver: Sendable {
  private struct Schedule {
    var random: Xorshift
    var threads: [Int]
    var holder = 0

    /// One step in this many passes the baton; some seeds mix finely, others coarsely.
    let pace: Int

    mutating func pickNext() -> Int? {
      guard !threads.isEmpty else { return nil }
      holder = threads[random.next(below: threads.count)]
      return holder
    }
  }

  private let seed: UInt32
  private let schedule: Mutex<Schedule>
  private let turns: [DispatchSemaphore]

  init(seed: UInt32, threads: Int) {
    var random = Xorshift(seed: UInt64(seed))
    let pace = 1 + random.next(below: 4)
    self.seed = seed
    schedule = Mutex(Schedule(random: random, threads: Array(0..<threads), pace: pace))
    turns = (0..<threads).map { _ in DispatchSemaphore(value: 0) }
  }

  /// The thread that is running.
  var holder: Int { schedule.withLock { $0.holder } }

  /// Runs `body` on each thread, and returns when all have ended.
  ///
  /// The threads are named for the seed, which a crash report or a debugger therefore shows.
  func run(_ body: @escaping @Sendable () -> Void) {
    passToNext()
    onThreads(turns.count) { [self] thread in
      Thread.current.name = "seed \(seed)"
      turns[thread].wait()
      body()
      schedule.withLock { $0.threads.removeAll { $0 == thread } }
      passToNext()
    }
  }

  /// A number that the seed decides.
  func choose(below limit: Int) -> Int {
    schedule.withLock { $0.random.next(below: limit) }
  }

  /// An element that the seed decides; nil if there is none.
  func anyOf<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[choose(below: elements.count)]
  }

  /// Lets the seed decide the next thread; returns when this thread is it.
  func step() {
    let (holder, next) = schedule.withLock { schedule in
      let isDue = schedule.random.next(below: schedule.pace) == 0
      return (schedule.holder, isDue ? schedule.pickNext() : schedule.holder)
    }
    guard let next, next != holder else { return }
    turns[next].signal()
    turns[holder].wait()
  }

  private func passToNext() {
    if let next = schedule.withLock({ $0.pickNext() }) { turns[next].signal() }
  }
}
