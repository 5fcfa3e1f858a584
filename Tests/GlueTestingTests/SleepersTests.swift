import Glue
import Synchronization
import ProcessSupport
import Testing

@testable import GlueTesting

private final class Woken: Sendable { let order = Mutex<[Int]>([]) }

extension TestClockTests {
  @Test("tasks that wait for one deadline wake in the order in which they came")
  func oneDeadline() async {
    let clock = TestClock()
    let woken = Woken()
    let store = store(clock) { dispatch in
      await withTaskGroup { group in
        for number in 0..<5 {
          group.addTask {
            try? await clock.sleep(for: .seconds(1))
            woken.order.withLock { $0.append(number) }
          }
        }
      }
      dispatch(Pong())
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(3))
    #expect(woken.order.withLock { $0 } == [0, 1, 2, 3, 4])
    #expect(store.state == 1)
  }

  @Test("tasks that are left when others were canceled still wake", .tags(.threads))
  func someCancelled() async {
    let clock = TestClock()
    let store = store(clock) { dispatch in
      await withTaskGroup { group in
        for number in 0..<20 {
          group.addTask {
            let sleep = Task.immediate { try await clock.sleep(for: .seconds(number + 1)) }
            if number % 5 > 0 { sleep.cancel() }
            if (try? await sleep.value) != nil { dispatch(Pong()) }
          }
        }
      }
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(2))
    await store.delivered()
    await clock.rest()
    #expect(clock.sleepers == 4)
    await clock.run()
    await store.settled()
    #expect(store.state == 4)
  }

  @Test("advancing by no time wakes those whose time has come, and fails nothing")
  func noTime() async {
    let clock = TestClock()
    let messages = await failures { await clock.advance(by: .zero) }
    #expect(messages == [])
    #expect(clock.now.offset == .zero)
  }
}
