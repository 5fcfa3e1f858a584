import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite(
  "delivered() returns when all that was queued has been delivered", .tags(.threads), .unwatched)
struct DeliveredTests {
  private let clock = TestClock()

  @Test("at once, where nothing is")
  func idle() async {
    let store = Store()
    store.add(1)
    await store.delivered()
  }

  @Test("after what a loop has not run yet, not after what comes later")
  func posted() async {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    let told = Transcript<Int>()
    let subscription = store.subscribe(selector: \.value) { told.write($0) }
    store.add(1)
    let waiter = await Waiter(on: clock) { await store.delivered() }
    store.add(1)
    let later = await Waiter(on: clock) { await store.delivered() }
    #expect(!waiter.isOver)
    pump.next()?()
    await clock.rest()
    #expect(waiter.isOver == (told.lines == [0, 1, 2]))
    pump.run()
    await clock.rest()
    #expect(waiter.isOver && later.isOver)
    withExtendedLifetime(subscription) {}
  }

  @Test("while a delivery is under way, after that and what was queued behind it, not before")
  func underWay() async {
    let store = Store()
    let (isIn, mayGo, hasReturned) = (Signal(), Gate(), Signal())
    store.onWrote { number, _ in
      if number != 1 { return }
      isIn.send()
      mayGo.pass()
    }
    startThread {
      store.write(1)
      hasReturned.send()
    }
    await isIn.wait()
    store.write(2)
    let waiters = [
      await Waiter(on: clock) { await store.delivered() },
      await Waiter(on: clock) { await store.delivered() },
    ]
    let impatient = await Waiter(on: clock) { await store.delivered() }
    impatient.task.cancel()
    await impatient.task.value
    #expect(waiters.allSatisfy { !$0.isOver })
    mayGo.open()
    for waiter in waiters { await waiter.task.value }
    await hasReturned.wait()
  }

  @Test("after calls that were moved to a queue have returned; so do settled() and shutdown()")
  func moved() async {
    let queue = DispatchQueue(label: "test")
    let calls: [@Sendable (Store<Counter>) async -> Void] = [
      { await $0.delivered() }, { await $0.settled() }, { await $0.shutdown() },
      { #expect(await $0.shutdown(finishing: .seconds(60), within: .seconds(60)) == []) },
    ]
    for call in calls {
      let store = Store()
      let saved = Shared(0)
      let subscription = store.subscribe(on: queue, selector: \.value) { saved.value = $0 }
      for number in 1...100 {
        store.add(1)
        if number % 50 != 0 { continue }
        await call(store)
        #expect(saved.value == number)
      }
      withExtendedLifetime(subscription) {}
    }
  }

  @Test("not for calls that were moved later")
  func movedLater() async {
    let queue = DispatchQueue(label: "test")
    let store = Store()
    let (areIn, mayGo) = ([Signal(), Signal()], [Gate(), Gate()])
    let subscription = store.subscribe(on: queue, selector: \.value) { value in
      areIn[value].send()
      mayGo[value].pass()
    }
    await areIn[0].wait()
    let waiter = await Waiter(on: clock) { await store.delivered() }
    store.add(1)
    mayGo[0].open()
    await areIn[1].wait()
    await waiter.task.value
    mayGo[1].open()
    withExtendedLifetime(subscription) {}
  }

  @Test("even if the subscription was canceled while its call runs")
  func movedAndCancelled() async {
    let queue = DispatchQueue(label: "test")
    let store = Store()
    let (isIn, mayGo) = (Signal(), Gate())
    let subscription = store.subscribe(on: queue, selector: \.value) { _ in
      isIn.send()
      mayGo.pass()
    }
    await isIn.wait()
    subscription.cancel()
    let waiters = [
      await Waiter(on: clock) { await store.delivered() },
      await Waiter(on: clock) { await store.settled() },
    ]
    #expect(waiters.allSatisfy { !$0.isOver })
    mayGo.open()
    for waiter in waiters { await waiter.task.value }
  }

  @Test("a dropped body keeps no call waiting")
  func dropped() async {
    let pump = Pump()
    let store = Store(delivery: pump.delivery)
    store.onWrote { _, _ in }
    store.write(1)
    let waiter = await Waiter(on: clock) { await store.delivered() }
    _ = pump.next()
    await waiter.task.value
  }

  @Test("a producer that waits now and then is never far ahead of a slow subscriber")
  func backPressure() async {
    let store = Store(delivery: .queue(DispatchQueue(label: "test")))
    let told = Shared(0)
    let subscription = store.subscribe(selector: \.value) { told.value = $0 }
    for number in 1...100_000 {
      store.add(1)
      if number % 1000 != 0 { continue }
      await store.delivered()
      #expect(told.value == number)
    }
    withExtendedLifetime(subscription) {}
  }
}
