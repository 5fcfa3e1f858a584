import Foundation
import Glue
import ProcessSupport
import Testing

@Suite("The lock excludes, wakes what sleeps, and knows its holder")
struct LockTests {
  #if DEBUG
    private static let threads = 2...3
  #else
    private static let threads = 2...4
  #endif

  @Test("in every order of steps", arguments: threads, [false, true])
  func everyOrder(threads: Int, hasSignals: Bool) {
    let states = LockModel(threads: threads, hasSignals: hasSignals).reachable()
    #expect(states.count > 20 * threads)
    #expect(states.lazy.compactMap(\.fault).first == nil)
  }

  @Test(
    "each of many threads sees what those before it did", .tags(.threads), arguments: [2, 4, 16])
  func exclusion(threads: Int) async {
    let locked = Locked((sum: 0, copy: 0))
    let differences = Shared(0)
    await onThread {
      onThreads(threads) { _ in
        for _ in 0..<20_000 {
          let isSame = locked.withLock { value in
            value.sum += 1
            defer { value.copy = value.sum }
            return value.sum == value.copy + 1
          }
          if !isSame { differences.value += 1 }
        }
      }
    }
    #expect(locked.withLock { $0.sum } == threads * 20_000)
    #expect(differences.value == 0)
  }

  @Test("a thread that sleeps for the lock gets it when it is released", .tags(.threads))
  func handover() async {
    let locked = Locked(0)
    await onThread {
      for round in 1...1000 {
        let isAboutToLock = Gate()
        let hasLocked = Gate()
        locked.withLock { value in
          startThread {
            isAboutToLock.open()
            locked.withLock { $0 += 1 }
            hasLocked.open()
          }
          isAboutToLock.pass()
          value += 1
        }
        hasLocked.pass()
        #expect(locked.withLock { $0 } == 2 * round)
      }
    }
  }

  @Test("it is held by the thread that says so, while it holds it, and by no other")
  func holder() {
    let locked = Locked(0)
    let thread = currentThread()
    func isHeld(by thread: ThreadID) -> Bool { locked.isHeld(by: thread) }
    locked.withLock(by: thread) { _ in
      #expect(isHeld(by: thread))
      #expect(!isHeld(by: thread + 16))
    }
    #expect(!isHeld(by: thread))
    locked.withLock { _ in #expect(!isHeld(by: thread)) }
  }

  @Test("a thread that asks again for the lock it holds is stopped, though others wait for it")
  func reentrance() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let locked = Locked(0)
      let thread = currentThread()
      locked.withLock(by: thread) { _ in
        for _ in 0..<4 { startThread { locked.withLock { $0 += 1 } } }
        locked.withLock(by: thread, ifHeld: { fatalError("held already") }) { $0 += 1 }
      }
    }
    let message = try String(decoding: #require(result).standardErrorContent, as: UTF8.self)
    #expect(message.contains("held already"))
  }

  #if !canImport(Darwin)
    @Test("the semaphore of its threads is freed with it")
    func noLeak() async {
      await #expect(processExitsWith: .success) {
        let before = peakMemory()
        for _ in 0..<300_000 {
          let lock = Lock()
          lock.contend(by: 16, 0)
          lock.wake()
        }
        precondition(peakMemory() < before + 5000)
      }
    }
  #endif
}

#if !canImport(Darwin)
  /// The most memory that the process had at a time, in kilobytes.
  private func peakMemory() -> Int {
    var usage = rusage()
    getrusage(0, &usage)  // RUSAGE_SELF, whose type differs among C libraries
    return usage.ru_maxrss
  }
#endif
