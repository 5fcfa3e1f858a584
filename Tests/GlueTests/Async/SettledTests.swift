import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("settled() returns when nothing is pending or in flight", .tags(.threads))
struct SettledTests {
  @Test("at once, where nothing is")
  func idle() async {
    let store = Store<[String]>()
    await store.settled()
    store.onWork { _, _ in }
    await store.settled()
  }

  @Test("after what waits and runs, and what that causes")
  func transitively() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    store.onWork { name, dispatch in
      if name == "done" { return dispatch(WorkIntent.note("done")) }
      dispatch(WorkIntent.emit([QuickWork(name: name)]))
    }
    store.onQuickWork { name, dispatch in
      let next = Work(name: "done").scheduled(.delay(.seconds(5)), id: name)
      dispatch(WorkIntent.emit([next]))
    }
    store.emit(Work(name: "first").scheduled(.delay(.seconds(1)), id: 0))
    let waiter = await Waiter(on: clock) { await store.settled() }
    await clock.advance(by: .milliseconds(5999))
    #expect(!waiter.isOver)
    await clock.advance(by: .milliseconds(1))
    #expect(waiter.isOver)
    #expect(store.state == ["done"])
  }

  @Test("when the last effect that waits is canceled by a commit that has nothing to deliver")
  func lastOneIsCancelled() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    store.onWork { _, _ in }
    store.emit(Work(name: "a").scheduled(.delay(.seconds(1)), id: "id"))
    let waiter = await Waiter(on: clock) { await store.settled() }
    #expect(!waiter.isOver)
    store.emit(CancelEffects(id: "id"))
    await clock.rest()
    #expect(waiter.isOver)
    #expect(store.state == [])
  }

  @Test("while effects end on other threads, from its very first moment")
  func endsMeanwhile() async {
    let store = Store<[String]>()
    store.onWork { _, _ in }
    for _ in 1...20_000 {
      store.emit(Work(name: "a"))
      await store.settled()
    }
  }

  @Test("a wait ends while a cancellation's handler makes deliveries")
  func duringACancellation() async {
    let clock = TestClock()
    let (other, hasSettled) = (Store<[String]>(clock: clock), Gate())
    other.onWork { _, _ in }
    other.emit(Work(name: "a").scheduled(.delay(.seconds(100)), id: "a"))
    let waiter = await Waiter(on: clock) {
      await other.settled()
      hasSettled.open()
    }
    let (store, isRunning) = (Store<[String]>(), Signal())
    store.onQuickWork { _, _ in
      other.emit(CancelEffects(id: "a"))
      hasSettled.pass()
    }
    store.onWork { [weak store] _, _ in
      await withTaskCancellationHandler {
        isRunning.send()
        for await _ in AsyncStream<Never>.makeStream().stream {}
      } onCancel: { [weak store] in
        store?.emit(QuickWork(name: "b"))
      }
    }
    store.emit(Work(name: "c").scheduled(.latest, id: "c"))
    await isRunning.wait()
    await onThread { store.emit(CancelEffects(id: "c")) }
    await clock.rest()
    #expect(waiter.isOver)
  }
}
