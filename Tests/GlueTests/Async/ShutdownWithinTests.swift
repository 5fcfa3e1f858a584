import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("shutdown(finishing:within:) lets effects end, and has bounds", .tags(.threads), .unwatched)
struct ShutdownWithinTests {
  private let clock = TestClock()
  private let store: Store<[String]>

  init() {
    store = Store(clock: clock)
    store.on(Work.self) { [clock] work, dispatch in
      let isOver = (try? await clock.sleep(for: work.duration)) != nil
      dispatch(WorkIntent.note(isOver ? work.name : "canceled \(work.name)"))
    }
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
  }

  private func shutDown() async -> (waiter: Waiter, left: Shared<[UnfinishedWork]?>) {
    let left = Shared<[UnfinishedWork]?>(nil)
    let waiter = await Waiter(on: clock) { [store] in
      left.value = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    }
    return (waiter, left)
  }

  @Test("running effects, and those that wait for them, may end and dispatch")
  func ending() async {
    store.emit(Work(name: "a", duration: .milliseconds(900)))
    for name in ["b", "c"] {
      store.emit(Work(name: name, duration: .milliseconds(900)).scheduled(.sequential, id: 1))
    }
    let (waiter, left) = await shutDown()
    store.emit(Work(name: "late"), QuickWork(name: "late"))
    await clock.advance(by: .milliseconds(1799))
    #expect(!waiter.isOver)
    #expect(store.state == ["a", "b"])
    await clock.advance(by: .milliseconds(1))
    #expect(left.value == [])
    #expect(store.state == ["a", "b", "c"])
  }

  @Test("lasting effects end first, while others may still run")
  func lastingFirst() async {
    let (lasting, ends) = (Work(name: "lasting", duration: .seconds(9)), Transcript<String>())
    let store = Store(
      state: [], reducer: working, lasting: { _ in [lasting.lasting(id: 1)] }, clock: clock)
    store.onWork { [clock] name, _ in
      try? await clock.sleep(for: .seconds(1))
      ends.write(name)
    }
    store.emit(Work(name: "a"))
    await clock.rest()
    let waiter = await Waiter(on: clock) {
      await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    }
    #expect(ends.lines == ["lasting"])
    await clock.run()
    await waiter.task.value
    #expect(ends.lines == ["lasting", "a"])
  }

  @Test("it returns before its time, if nothing is left")
  func atOnce() async {
    let (waiter, left) = await shutDown()
    #expect(waiter.isOver)
    #expect(left.value == [])
    #expect(clock.sleepers == 0)
  }

  @Test("effects that wait for a time are canceled and returned", arguments: [true, false])
  func waiting(isDelivered: Bool) async {
    let pump = Pump()
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    store.emit(
      QuickWork(name: "saved").scheduled(.debounce(.seconds(1)), id: "save"),
      QuickWork(name: "first").scheduled(.throttle(.seconds(1)), id: "throttle"),
      QuickWork(name: "held").scheduled(.throttle(.seconds(1)), id: "throttle"))
    if isDelivered { pump.run() }
    let left = Shared<[UnfinishedWork]>([])
    let waiter = await Waiter(on: clock) {
      left.value = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    }
    pump.run()
    await clock.run()
    await waiter.task.value
    #expect(
      left.value == [
        .effect(QuickWork(name: "saved"), id: "save", because: .waitedForTime),
        .effect(QuickWork(name: "held"), id: "throttle", because: .waitedForTime),
      ])
    #expect(store.state == ["first"])
  }

  @Test("effects that run longer are canceled, and those that then wait for them have not started")
  func tooLong() async {
    for name in ["a", "b"] {
      store.emit(Work(name: name, duration: .seconds(9)).scheduled(.sequential, id: 1))
    }
    let (waiter, left) = await shutDown()
    await clock.advance(by: .seconds(2))
    #expect(waiter.isOver)
    let waiting = Work(name: "b", duration: .seconds(9))
    #expect(left.value == [.effect(waiting, id: 1, because: .waitedForEarlier)])
    #expect(store.state == [])
  }

  @Test("effects that waited for a canceled one may end, and no more thunks are taken")
  func waitingForCancelled() async {
    let thunks = Store(middleware: [thunkMiddleware()], clock: clock)
    thunks.onQuickWork { _, _ in }
    store.emit(
      Work(name: "late").scheduled(.delay(.seconds(60)), id: 1),
      Work(name: "next").scheduled(.sequential, id: 1))
    let (_, left) = await shutDown()
    await clock.rest()
    #expect(left.value == [.effect(Work(name: "late"), id: 1, because: .waitedForTime)])
    #expect(store.state == ["next"])

    thunks.on(Work.self) { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    thunks.emit(Work(name: "a"))
    let waiter = await Waiter(on: clock) {
      await thunks.shutdown(finishing: .seconds(2), within: .seconds(5))
    }
    thunks.dispatch(AsyncThunk<[String]> { dispatch, _ in dispatch(WorkIntent.note("never")) })
    await clock.run()
    await waiter.task.value
    #expect(thunks.state == [])
  }

  @Test("effects queued behind a handler that does not return have not started")
  func queuedBehindStuck() async {
    let (isIn, mayGo, isOver) = (Signal(), Gate(), Signal())
    store.on(CounterEffect.self) { (_: CounterEffect, _: DispatchFunc) in
      isIn.send()
      mayGo.pass()
    }
    startThread { [store] in
      store.dispatch(WorkIntent.emit([CounterEffect.wrote(1)]))
      isOver.send()
    }
    await isIn.wait()
    store.emit(Work(name: "a"))
    store.emit(Work(name: "b").scheduled(.latest, id: 1))
    let left = Shared<[UnfinishedWork]>([])
    let waiter = await Waiter(on: clock) { [store] in
      left.value = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    }
    await clock.advance(by: .seconds(2))
    mayGo.open()
    await isOver.wait()
    await waiter.task.value
    #expect(
      left.value == [
        .effect(Work(name: "a"), id: nil, because: .notStarted),
        .effect(Work(name: "b"), id: 1, because: .notStarted),
      ])
    #expect(store.state == [])
  }

  @Test("an effect that ignores its cancellation is returned when the time has passed")
  func stuck() async {
    let mayEnd = Signal()
    store.on(CounterEffect.self) { _, _ async in
      await Task.detached { await mayEnd.wait() }.value
    }
    store.emit(CounterEffect.wrote(1))
    let (waiter, left) = await shutDown()
    await clock.advance(by: .milliseconds(4999))
    #expect(!waiter.isOver)
    await clock.advance(by: .milliseconds(1))
    #expect(left.value == [.effect(CounterEffect.wrote(1), id: nil, because: .canceled)])
    mayEnd.send()
    await store.shutdown()
  }

  @Test("so is a delivery, and calls that were moved to a queue")
  func stuckDelivery() async {
    let (isIn, mayGo, isOver) = (Signal(), Gate(), Signal())
    let subscription = store.subscribe(on: DispatchQueue(label: "test"), selector: \.count) {
      if $0 == 1 { mayGo.pass() }
    }
    store.on(Work.self) { (work: Work, _: DispatchFunc) in
      isIn.send()
      mayGo.pass()
    }
    startThread { [store] in
      store.note("moved")
      store.emit(Work(name: "blocking", duration: .seconds(9)))
      isOver.send()
    }
    await isIn.wait()
    store.emit(QuickWork(name: "queued"))
    let (_, left) = await shutDown()
    await clock.advance(by: .seconds(5))
    #expect(
      left.value == [
        .effect(Work(name: "blocking", duration: .seconds(9)), id: nil, because: .canceled),
        .effect(QuickWork(name: "queued"), id: nil, because: .queued),
        .deliveries(pending: 0, isUnderWay: true), .movedCalls(1),
      ])
    mayGo.open()
    await isOver.wait()
    await store.shutdown()
    withExtendedLifetime(subscription) {}
  }
}
