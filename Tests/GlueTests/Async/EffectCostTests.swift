import Glue
import GlueTesting
import Synchronization
import Testing

@Suite("The cost of effects of one id does not grow with their number")
struct EffectCostTests {
  @Test("one task sleeps for an id, however often what it sleeps for is superseded")
  func superseded() async {
    let clock = CountingClock()
    let store = Store<[String]>(clock: clock)
    store.onQuickWork { _, _ in }
    for _ in 1...60_000 {
      store.emit(QuickWork(name: "save").scheduled(.debounce(.seconds(600)), id: "save"))
    }
    #expect(store.effectsInFlight.count == 1)
    await store.shutdown()
    #expect(clock.sleeps <= 1)
  }

  @Test("one task sleeps for all that wait, and wakes for each in order")
  func manyWait() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    for number in 1...100 {
      let work = QuickWork(name: "\(number)")
      store.emit(work.scheduled(.delay(.seconds((number * 37) % 101)), id: "id"))
    }
    await clock.rest()
    #expect(clock.sleepers == 1)
    await clock.run()
    #expect(store.state == (1...100).sorted { ($0 * 37) % 101 < ($1 * 37) % 101 }.map(String.init))
    #expect(clock.now.offset == .seconds(100))
    #expect(clock.sleepers == 0)
  }
}

/// Counts sleeps.
private final class CountingClock: Clock {
  private let count = Atomic(0)
  private let clock = ContinuousClock()

  var sleeps: Int { count.load(ordering: .relaxed) }
  var now: ContinuousClock.Instant { clock.now }
  var minimumResolution: Duration { clock.minimumResolution }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
    count.add(1, ordering: .relaxed)
    try await clock.sleep(until: deadline, tolerance: tolerance)
  }
}
