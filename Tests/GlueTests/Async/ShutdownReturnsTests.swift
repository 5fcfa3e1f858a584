import Dispatch
import Glue
import GlueTesting
import Testing

@Suite("Each call of shutdown(finishing:within:) returns everything that is left, each effect once")
struct ShutdownReturnsTests {
  private let clock = TestClock()
  private let pump = Pump()

  /// Waits for the end of a store, while the clock advances as far as anything waits for it.
  private func shutDown(_ store: Store<[String]>) async -> [String] {
    let left = Shared<[String]>([])
    let waiter = await Waiter(on: clock) {
      left.value = await store.shutdown(finishing: .seconds(2), within: .seconds(5))
    }
    await clock.run()
    await waiter.task.value
    return left.value
  }

  private func idle(_ name: String) -> Work { Work(name: name, duration: .seconds(9)) }

  @Test("the deliveries of a custom loop that never runs, until it has made them")
  func loopThatNeverRuns() async {
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    let notes = Transcript<[String]>()
    let subscription = store.subscribe { notes.write($0) }
    store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
    store.onWork { _, dispatch in dispatch(WorkIntent.note("never")) }
    store.emit(QuickWork(name: "quick"), idle("task"))
    let left = [
      #"Work(name: "task", duration: 9.0 seconds) has not started"#,
      #"QuickWork(name: "quick") is queued"#,
      "Other deliveries that are queued: 1",
    ]

    #expect(await shutDown(store) == left)
    #expect(await shutDown(store) == left)
    #expect(notes.lines == [])

    pump.run()
    #expect(notes.lines == [[], ["quick"]])
    #expect(await shutDown(store) == [left[0]])
    withExtendedLifetime(subscription) {}
  }

  @Test("effects whose descriptions use the store, which is not locked then")
  func descriptionThatReadsTheStore() async {
    struct Telling: Effect, CustomStringConvertible {
      let count: @Sendable () -> Int?
      var description: String { "telling \(count() ?? -1)" }
    }
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    store.on(Telling.self) { _, _ in }
    store.emit(Telling { [weak store] in store?.state.count })
    #expect(await shutDown(store) == ["telling 0 is queued"])
  }

  @Test("nothing where a custom loop has made all of them, or makes them at once")
  func loopThatHasRun() async {
    let late = Store<[String]>(delivery: pump.delivery, clock: clock)
    let inline = Store<[String]>(delivery: .custom { $0() }, clock: clock)
    for store in [late, inline] {
      store.onQuickWork { name, dispatch in dispatch(WorkIntent.note(name)) }
      store.emit(QuickWork(name: "a"))
      pump.run()
      #expect(await shutDown(store) == [])
    }
  }

  @Test("a delivery of a custom loop's that is under way, and how many wait behind it")
  func loopThatIsStuck() async {
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    let (isIn, mayGo, isOver) = (Signal(), Gate(), Signal())
    store.onQuickWork { name, _ in
      if name != "stuck" { return }
      isIn.send()
      mayGo.pass()
    }
    store.emit(QuickWork(name: "stuck"), QuickWork(name: "b"), QuickWork(name: "c"))
    startThread { [pump] in
      pump.run()
      isOver.send()
    }
    await isIn.wait()
    store.emit(QuickWork(name: "d"))
    #expect(
      await shutDown(store) == [
        "A delivery is under way, and up to 2 wait behind it",
        #"QuickWork(name: "d") is queued"#,
      ])
    mayGo.open()
    await isOver.wait()
    #expect(await shutDown(store) == [])
  }

  @Test("as soon as the body that runs has returned, where no limit is set")
  func bodyThatReturns() async {
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    let (isIn, mayGo) = (Signal(), Gate())
    store.onQuickWork { _, _ in
      isIn.send()
      mayGo.pass()
    }
    store.emit(QuickWork(name: "a"))
    startThread { [pump] in pump.next()?() }
    await isIn.wait()
    let waiter = await Waiter(on: clock) { await store.shutdown() }
    #expect(!waiter.isOver)
    mayGo.open()
    await waiter.task.value
  }

  @Test(
    "a scheduled effect once, although a custom loop has not given it its turn", arguments: policies
  )
  func once(policy: EffectPolicy) async {
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(9)) }
    for name in ["a", "b"] { store.emit(idle(name).scheduled(policy, id: name)) }
    for name in ["c", "d"] { store.emit(idle(name).scheduled(policy, id: "shared")) }
    let left = await shutDown(store)
    #expect(left.filter { $0.contains(#""a""#) }.count == 1)
    #expect(left.filter { $0.contains(#""b""#) }.count == 1)
    #expect(Set(left).count == left.count)
    #expect(left.allSatisfy { $0.hasPrefix("Work") })
    pump.run()
    #expect(await shutDown(store) == left)
  }

  @Test("sequential effects, of which the first runs and ignores its cancellation")
  func sequential() async {
    let store = Store<[String]>(clock: clock)
    let mayEnd = Signal()
    store.onWork { _, _ in await Task.detached { await mayEnd.wait() }.value }
    for name in ["a", "b", "c"] { store.emit(idle(name).scheduled(.sequential, id: 1)) }
    await clock.rest()
    let left = [
      #"Work(name: "b", duration: 9.0 seconds) has not started"#,
      #"Work(name: "c", duration: 9.0 seconds) has not started"#,
      #"Work(name: "a", duration: 9.0 seconds) was canceled, but has not returned"#,
    ]
    #expect(await shutDown(store) == left)
    mayEnd.send()
    await store.shutdown()
    #expect(await shutDown(store) == Array(left.prefix(2)))
  }

  @Test("overlapping calls all return the same, and so does a later one")
  func overlapping() async {
    let store = Store<[String]>(clock: clock)
    let mayEnd = Signal()
    store.onWork { _, _ in await Task.detached { await mayEnd.wait() }.value }
    store.onQuickWork { _, _ in }
    store.emit(
      QuickWork(name: "saved").scheduled(.debounce(.seconds(1)), id: "save"),
      idle("a").scheduled(.sequential, id: 1), idle("b").scheduled(.sequential, id: 1))
    await clock.rest()
    let results = Transcript<[String]>()
    var waiters: [Waiter] = []
    for seconds in [2, 1, 0] {
      waiters.append(
        await Waiter(on: clock) {
          results.write(
            await store.shutdown(finishing: .seconds(seconds), within: .seconds(seconds + 3)))
        })
    }
    await clock.run()
    for waiter in waiters { await waiter.task.value }
    let unstarted = [
      #"QuickWork(name: "saved") has not started"#,
      #"Work(name: "b", duration: 9.0 seconds) has not started"#,
    ]
    let stuck = #"Work(name: "a", duration: 9.0 seconds) was canceled, but has not returned"#
    #expect(results.lines == Array(repeating: unstarted + [stuck], count: 3))
    mayEnd.send()
    await store.shutdown()
    #expect(await shutDown(store) == unstarted)
  }
}
