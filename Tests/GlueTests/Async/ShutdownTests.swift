import Dispatch
import Foundation
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("shutdown() ends all effects for good", .tags(.threads), .unwatched)
struct ShutdownTests {
  @Test("10,000 effects that run or wait, and none is left")
  func manyInFlight() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let (started, ended) = (Shared(0), Shared(0))
    store.onWork { name, dispatch in
      started.change { $0 += 1 }
      for await _ in AsyncStream<Void>.makeStream().stream {}
      dispatch(WorkIntent.note(name))
      ended.change { $0 += 1 }
    }
    for number in 0..<10_000 {
      let work = Work(name: "\(number)")
      switch number % 4 {
      case 0: store.emit(work)
      case 1: store.emit(work.scheduled(policies[number % policies.count], id: number))
      case 2: store.emit(work.scheduled(.delay(.seconds(9)), id: number % 100))
      default: store.emit(work.scheduled(.sequential, id: number % 100 + 1000))
      }
    }
    await clock.rest()
    #expect(clock.sleepers > 1000)
    #expect(started.value > 3000)
    await store.shutdown()
    #expect(started.value == ended.value)
    #expect(clock.sleepers == 0)
    #expect(store.state == [])
    await clock.rest()
    await clock.run()
    #expect(started.value == ended.value)
    await store.settled()
  }

  @Test("10,000 effects on the system's threads, some of which have not started")
  func manyOnThreads() async {
    let store = Store<[String]>()
    let (started, ended) = (Shared(0), Shared(0))
    store.onWork { name, _ in
      started.change { $0 += 1 }
      await withTaskCancellationHandler {
        for await _ in AsyncStream<Void>.makeStream().stream {}
      } onCancel: {
        ended.change { $0 += 1 }
      }
    }
    for number in 0..<10_000 { store.emit(Work(name: "\(number)")) }
    await store.shutdown()
    #expect(started.value == 10_000)
    #expect(ended.value == 10_000)
  }

  @Test("it stops waiting for a queue that begins no delivery, and not for a slow one")
  func stalledQueue() async {
    let queue = DispatchQueue(label: "stalled")
    let store = Store<[String]>(delivery: .queue(queue))
    let (isIn, mayEnd) = (Signal(), DispatchSemaphore(value: 0))
    let handled = Shared(0)
    store.onQuickWork { _, _ in
      isIn.send()
      mayEnd.wait()
      handled.change { $0 += 1 }
    }
    await Patience.ofThreads.withValue(0.01) {
      store.emit(QuickWork(name: "slow"))
      await isIn.wait()
      DispatchQueue.global().asyncAfter(deadline: .now() + 0.05) { mayEnd.signal() }
      await store.shutdown()
      #expect(handled.value == 1)
      queue.suspend()
      store.note("b")
      let subscription = store.subscribe(selector: \.count) { _ in handled.change { $0 += 1 } }
      await store.shutdown()
      #expect(handled.value == 1)
      queue.resume()
      await store.delivered()
      #expect(handled.value == 2)
      subscription.cancel()
    }
  }

  @Test("two at once both wait until the tasks have returned, and so does one afterwards")
  func twice() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let mayEnd = Signal()
    store.onWork { _, _ in await Task.detached { await mayEnd.wait() }.value }
    store.emit(Work(name: "a"))
    var waiters: [Waiter] = []
    for _ in 1...3 { waiters.append(await Waiter(on: clock) { await store.shutdown() }) }
    waiters.append(await Waiter(on: clock) { await store.settled() })
    #expect(waiters.allSatisfy { !$0.isOver })
    let impatient = await Waiter(on: clock) { await store.shutdown() }
    impatient.task.cancel()
    await clock.rest()
    #expect(impatient.isOver)
    mayEnd.send()
    for waiter in waiters { await waiter.task.value }
    await store.shutdown()
  }

  @Test("later intents reduce and notify, without effects; nothing hangs")
  func afterwards() async {
    let store = Store(middleware: [thunkMiddleware()])
    let values = Transcript<[String]>()
    store.onWork { name, dispatch in dispatch(WorkIntent.note("never")) }
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note("never")) }
    let subscription = store.subscribe { values.write($0) }
    await store.shutdown()
    store.note("a")
    #expect(store.state == ["a"])
    store.emit(
      Work(name: ""), QuickWork(name: ""), Work(name: "").scheduled(.latest, id: 1),
      QuickWork(name: "").scheduled(.delay(.seconds(1)), id: 1), CancelEffects(id: 1))
    store.onQuickWork { _, dispatch in dispatch(WorkIntent.note("never")) }
    store.onWork { _, dispatch in dispatch(WorkIntent.note("never")) }
    await store.perform(WorkIntent.emit([Work(name: ""), QuickWork(name: "")]))
    await store.perform(AsyncThunk<[String]> { dispatch, _ in dispatch(WorkIntent.note("never")) })
    await store.settled()
    await store.shutdown()
    #expect(values.lines == [[], ["a"]])
    #expect(store.state == ["a"])
    withExtendedLifetime(subscription) {}
  }

  @Test("queued effects still reach synchronous handlers, and start no task")
  func queued() async {
    let pump = Pump()
    let store = Store<[String]>(delivery: pump.delivery)
    store.onWork { _, dispatch in dispatch(WorkIntent.note("never")) }
    store.on(Work.self) { (work: Work, dispatch: DispatchFunc) in
      dispatch(WorkIntent.note(work.name))
    }
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    store.emit(Work(name: "a"), QuickWork(name: "b"))
    store.emit(QuickWork(name: "c").scheduled(.latest, id: 1))
    store.emit(QuickWork(name: "never").scheduled(.delay(.seconds(1)), id: 1))
    store.emit(Work(name: "d").scheduled(.sequential, id: 2))
    store.emit(Work(name: "e").scheduled(.sequential, id: 2))
    await store.shutdown()
    #expect(store.state == [])
    pump.run()
    #expect(store.state == ["a", "b", "c", "d", "e"])
    await store.settled()
  }

  @Test("where a queue delivers, what was queued has been delivered when it returns")
  func queuedOnQueue() async {
    let store = Store<[String]>(delivery: .queue(DispatchQueue(label: "test")))
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    for number in 1...5 { store.emit(QuickWork(name: "\(number)")) }
    await store.shutdown()
    #expect(store.state == ["1", "2", "3", "4", "5"])
  }

  @Test("nor is a sequence of synchronous effects lost of which the first is being handled")
  func sequenceInHandler() async {
    let store = Store<[String]>(delivery: .queue(DispatchQueue(label: "test")))
    let (isIn, mayGo) = (Signal(), Gate())
    store.onQuickWork { name, dispatch in
      if name == "1" {
        isIn.send()
        mayGo.pass()
      }
      dispatch(WorkIntent.note(name))
    }
    for number in 1...5 {
      store.emit(QuickWork(name: "\(number)").scheduled(.sequential, id: "id"))
    }
    await isIn.wait()
    let clock = TestClock()
    let waiters = [
      await Waiter(on: clock) { await store.shutdown() },
      await Waiter(on: clock) { await store.shutdown() },
    ]
    mayGo.open()
    for waiter in waiters { await waiter.task.value }
    #expect(store.state == ["1", "2", "3", "4", "5"])
  }

  @Test("a canceled one leaves nothing behind, and neither do others that wait")
  func canceledWaiters() async {
    await #expect(processExitsWith: .success) {
      let store = Store<[String]>()
      let hasStarted = Signal()
      store.onWork { _, _ in
        hasStarted.send()
        await withCheckedContinuation { (_: CheckedContinuation<Void, Never>) in }
      }
      store.emit(Work(name: "stuck"))
      await hasStarted.wait()
      func waitInVain(_ count: Int) async {
        for _ in 0..<count {
          let task = Task {
            await store.shutdown()
            await store.settled()
          }
          task.cancel()
          await task.value
        }
      }
      await waitInVain(10_000)
      let before = residentPages()
      await waitInVain(100_000)
      exit(residentPages() < before + 512 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test("nor does one that waits for a queue, except a mark in the outbox")
  func canceledWaitersForQueue() async {
    await #expect(processExitsWith: .success) {
      let queue = DispatchQueue(label: "stalled")
      let store = Store<[String]>(delivery: .queue(queue))
      queue.suspend()
      store.onQuickWork { _, _ in }
      store.emit(QuickWork(name: "stuck"))
      func waitInVain(_ count: Int) async {
        for _ in 0..<count {
          let task = Task { await store.shutdown() }
          task.cancel()
          await task.value
        }
      }
      await waitInVain(1000)
      let before = residentPages()
      await waitInVain(10_000)
      exit(residentPages() < before + 1024 ? EXIT_SUCCESS : EXIT_FAILURE)
    }
  }

  @Test("calls that wait for the store to settle, or for an intent, return")
  func waiters() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    store.onWork { _, _ in }
    let effect = Work(name: "a").scheduled(.delay(.seconds(1)), id: 1)
    let waiters = [
      await Waiter(on: clock) { await store.perform(WorkIntent.emit([effect])) },
      await Waiter(on: clock) { await store.settled() },
    ]
    #expect(waiters.allSatisfy { !$0.isOver })
    await store.shutdown()
    await clock.rest()
    #expect(waiters.allSatisfy { $0.isOver })
  }

  @Test("an asynchronous thunk is canceled and waited for")
  func thunk() async {
    let clock = TestClock()
    let store = Store(middleware: [thunkMiddleware()], clock: clock)
    let ended = Transcript<Bool>()
    store.dispatch(
      AsyncThunk<[String]> { dispatch, _ in
        try? await clock.sleep(for: .seconds(1))
        dispatch(WorkIntent.note("never"))
        ended.write(Task.isCancelled)
      })
    await clock.rest()
    await store.shutdown()
    #expect(ended.lines == [true])
    #expect(store.state == [])
  }
}

/// How many pages of memory the process uses, 4 KiB each.
private func residentPages() -> Int {
  let numbers = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
    separator: " ")
  return numbers.flatMap { Int($0[1]) } ?? .max
}
