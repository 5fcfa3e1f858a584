import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite(
  "perform(_:) returns when everything that the intent causes has finished", .tags(.threads),
  .unwatched)
struct PerformTests {
  private let clock = TestClock()
  private let store: Store<[String]>

  init() {
    store = Store(clock: clock)
  }

  private func perform(_ effects: any Effect...) async -> Waiter {
    let store = store
    return await Waiter(on: clock) { await store.perform(WorkIntent.emit(effects)) }
  }

  private func later(_ name: String, _ seconds: Int) -> ScheduledEffect {
    Work(name: name).scheduled(.delay(.seconds(seconds)), id: name)
  }

  @Test("an intent without effects has finished when it is delivered")
  func nothing() async {
    let value = Transcript<[String]>()
    let subscription = store.subscribe { value.write($0) }
    await store.perform(WorkIntent.note("a"))
    #expect(value.lines == [[], ["a"]])
    withExtendedLifetime(subscription) {}
  }

  @Test("after synchronous and asynchronous effects, and those of the intents that they dispatch")
  func transitively() async {
    store.onQuickWork { name, dispatch in
      dispatch(WorkIntent.emit([Work(name: name, duration: .seconds(1))]))
    }
    store.on(Work.self) { [clock] work, dispatch in
      try? await clock.sleep(for: work.duration)
      if work.name == "done" { return dispatch(WorkIntent.note("done")) }
      dispatch(WorkIntent.emit([QuickWork(name: "done")]))
    }
    let waiter = await perform(QuickWork(name: "first"))
    await clock.advance(by: .milliseconds(1999))
    #expect(!waiter.isOver)
    await clock.advance(by: .milliseconds(1))
    #expect(waiter.isOver)
    #expect(store.state == ["done"])
  }

  @Test("a dropped effect has finished")
  func dropped() async {
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(9)) }
    store.emit(Work(name: "a").scheduled(.latest, id: "id"))
    let waiter = await perform(Work(name: "b").scheduled(.leading, id: "id"))
    #expect(waiter.isOver)
  }

  @Test("so is one that is replaced while it waits, is held, or runs", arguments: policies)
  func replaced(policy: EffectPolicy) async {
    store.onWork { [clock] name, _ in try? await clock.sleep(for: .seconds(9)) }
    store.emit(Work(name: "a").scheduled(policy, id: "id"))
    let waiter = await perform(Work(name: "b").scheduled(policy, id: "id"))
    #expect(waiter.isOver == (policy == .leading))
    let last = policy == .throttle(.seconds(1)) ? policy : .latest
    store.emit(Work(name: "c").scheduled(last, id: "id"))
    await clock.rest()
    #expect(waiter.isOver)
  }

  @Test("and a canceled one, though its task continues")
  func canceled() async {
    let (isRunning, mayEnd) = (Signal(), Signal())
    store.onWork { _, _ in
      isRunning.send()
      await Task.detached { await mayEnd.wait() }.value
    }
    let waiter = await perform(Work(name: "a").scheduled(.latest, id: "id"))
    await isRunning.wait()
    #expect(!waiter.isOver)
    store.emit(CancelEffects(id: "id"))
    await waiter.task.value
    mayEnd.send()
    await store.settled()
  }

  @Test("subscribers' intents, and kept callbacks, are not waited for")
  func notCaused() async {
    let kept = Shared<DispatchFunc?>(nil)
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(9)) }
    store.onQuickWork { name, dispatch in
      dispatch(WorkIntent.note(name))
      kept.value = dispatch
    }
    let subscription = store.subscribe { [store] in
      if $0 == ["a"] { store.emit(Work(name: "by the subscriber")) }
    }
    let waiter = await perform(QuickWork(name: "a"))
    #expect(waiter.isOver)
    kept.value?(WorkIntent.emit([Work(name: "by the callback")]))
    #expect(store.state == ["a"])
    withExtendedLifetime(subscription) {}
    await store.shutdown()
  }

  @Test("a callback that is kept is waited for while another handler of its effect runs")
  func callbackOfARunningEffect() async {
    let kept = Shared<DispatchFunc?>(nil)
    store.on(Work.self) { (work: Work, dispatch: @escaping DispatchFunc) in
      if work.name == "a" { kept.value = dispatch }
    }
    store.on(Work.self) { [clock] work, _ in try? await clock.sleep(for: work.duration) }
    let waiter = await perform(Work(name: "a", duration: .seconds(1)))
    kept.value?(WorkIntent.emit([Work(name: "b", duration: .seconds(5))]))
    await clock.advance(by: .seconds(4))
    #expect(!waiter.isOver)
    await clock.advance(by: .seconds(1))
    #expect(waiter.isOver)
  }

  @Test("canceling the task that waits ends the waiting, not the effects")
  func canceledWaiting() async {
    store.onWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    let waiters = [
      await perform(later("a", 1)), await Waiter(on: clock) { [store] in await store.settled() },
    ]
    for waiter in waiters { waiter.task.cancel() }
    await clock.rest()
    #expect(waiters.allSatisfy { $0.isOver })
    #expect(store.state == [])
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["a"])
    await store.settled()
  }

  @Test("a canceled task dispatches, and does not wait")
  func canceledBefore() async {
    store.onWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    let store = store
    let effect = later("a", 1)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await store.perform(WorkIntent.emit([effect]))
      await store.settled()
    }
    await task.value
    await clock.run()
    #expect(store.state == ["a"])
  }

  @Test("many at once, whose effects end on several threads, each return")
  func many() async {
    let store = Store<[String]>()
    store.onWork { name, dispatch in
      if name.count == 5 { return }
      dispatch(WorkIntent.emit([Work(name: name + "a"), QuickWork(name: "")]))
    }
    store.onQuickWork { _, dispatch in dispatch(WorkIntent.note("")) }
    await withTaskGroup { group in
      for _ in 1...500 {
        group.addTask { await store.perform(WorkIntent.emit([Work(name: "a")])) }
      }
    }
    #expect(store.state.count == 500 * 4)
  }

  @Test("the caller is resumed before the next effect with the same id starts")
  func beforeNext() async {
    let (executor, transcript) = (ManualExecutor(), Transcript<String>())
    store.on(Work.self) { work, _ -> Void in
      executor.run()
      transcript.write("\(work.name) starts")
    }
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    let first = Task(executorPreference: executor) { [store] in
      await store.perform(
        WorkIntent.emit([Work(name: "first").scheduled(.sequential, id: 1)]))
      transcript.write("first has finished")
    }
    executor.run()
    store.emit(Work(name: "second").scheduled(.sequential, id: 1))
    await clock.advance(by: .seconds(1))
    executor.run()
    await first.value
    #expect(transcript.lines == ["first starts", "first has finished", "second starts"])
    await clock.run()
  }

  @Test("a subscriber's call on a queue is handed over, but not waited for; delivered() waits")
  func movedCalls() async {
    let queue = DispatchQueue(label: "suspended")
    let told = Transcript<[String]>()
    let subscription = store.subscribe(on: queue) { told.write($0) }
    await store.delivered()
    queue.suspend()
    await store.perform(WorkIntent.note("a"))
    #expect(told.lines == [[]])
    queue.resume()
    await store.delivered()
    #expect(told.lines == [[], ["a"]])
    withExtendedLifetime(subscription) {}
  }
}
