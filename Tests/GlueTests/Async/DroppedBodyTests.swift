import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Effects whose turn is lost with a dropped body have ended", .unwatched)
struct DroppedBodyTests {
  private let clock = TestClock()
  private let pump = Pump()
  private let store: Store<[String]>

  init() {
    store = Store(delivery: pump.delivery, clock: clock)
    store.onWork { name, dispatch in dispatch(WorkIntent.note(name)) }
  }

  private func emit(_ name: String, _ policy: EffectPolicy) {
    store.emit(Work(name: name).scheduled(policy, id: "id"))
  }

  @Test("no call waits for them, and others of their id start", arguments: policies)
  func queued(policy: EffectPolicy) async {
    let waiter = await Waiter(on: clock) { [store] in
      await store.perform(WorkIntent.emit([Work(name: "lost").scheduled(policy, id: "id")]))
    }
    #expect(!waiter.isOver)
    _ = pump.next()
    await clock.rest()
    #expect(waiter.isOver)
    await store.settled()

    for (name, policy) in [("a", EffectPolicy.sequential), ("b", .leading), ("c", .sequential)] {
      emit(name, policy)
      pump.run()
      await clock.rest()
    }
    await store.settled()
    #expect(store.state == ["a", "b", "c"])
  }

  @Test("what has waited, too")
  func due() async {
    emit("lost", .delay(.seconds(1)))
    pump.run()
    await clock.advance(by: .seconds(1))
    emit("a", .sequential)
    _ = pump.next()
    emit("b", .sequential)
    pump.run()
    await clock.rest()
    await store.settled()
    #expect(store.state == ["b"])
  }

  @Test("a window that a lost effect was to open closes, and what is held starts")
  func window() async {
    emit("lost", .throttle(.seconds(1)))
    emit("held", .throttle(.seconds(1)))
    _ = pump.next()
    pump.run()
    await clock.rest()
    #expect(store.state == ["held"])
    emit("next", .throttle(.seconds(1)))
    pump.run()
    await clock.advance(by: .milliseconds(999))
    #expect(store.state == ["held"])
    await clock.advance(by: .milliseconds(1))
    pump.run()
    await clock.rest()
    await store.settled()
    #expect(store.state == ["held", "next"])
  }

  @Test("a loop that drops all bodies at once ends a long sequence on constant stack (G5)")
  func constantStack() async {
    let isOpen = Shared(true)
    let store = Store<[String]>(
      delivery: .custom { body in if isOpen.value { body() } }, clock: clock)
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    let first = QuickWork(name: "first").scheduled(.delay(.seconds(1)), id: "id")
    let rest = QuickWork(name: "rest").scheduled(.sequential, id: "id")
    store.dispatch(WorkIntent.emit([first] + Array(repeating: rest, count: 50_000)))
    isOpen.value = false
    await clock.advance(by: .seconds(1))
    await store.settled()
    #expect(store.state == [])
  }
}
