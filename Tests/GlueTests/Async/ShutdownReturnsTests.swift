import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite(
  "Each call of shutdown(finishing:within:) returns everything that is left, each effect once",
  .tags(.threads),
  .unwatched)
struct ShutdownReturnsTests {
  private let clock = TestClock()
  private let pump = Pump()

  /// Waits for the end of a store, while the clock advances as far as anything waits for it.
  private func shutDown(_ store: Store<[String]>) async -> [UnfinishedWork] {
    let left = Shared<[UnfinishedWork]>([])
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
    let left: [UnfinishedWork] = [
      .effect(idle("task"), id: nil, because: .notStarted),
      .effect(QuickWork(name: "quick"), id: nil, because: .queued),
      .deliveries(pending: 1, isUnderWay: false),
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
    struct Counting: Effect, CustomStringConvertible {
      let count: @Sendable () -> Int?
      var description: String { "counting \(count() ?? -1)" }
    }
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    store.on(Counting.self) { _, _ in }
    store.emit(Counting { [weak store] in store?.state.count })
    #expect(await shutDown(store).map(\.description) == ["counting 0 is queued"])
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
        .effect(QuickWork(name: "d"), id: nil, because: .queued),
        .deliveries(pending: 2, isUnderWay: true),
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
    let works = left.map { work -> String in
      guard case .effect(let effect as Work, let id as String, _) = work else { return "?" }
      #expect(id == (["a", "b"].contains(effect.name) ? effect.name : "shared"))
      return effect.name
    }
    #expect(Set(works).isSuperset(of: ["a", "b"]))
    #expect(Set(works).isSubset(of: ["a", "b", "c", "d"]))
    #expect(Set(works).count == works.count)
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
    let left: [UnfinishedWork] = [
      .effect(idle("b"), id: 1, because: .waitedForEarlier),
      .effect(idle("c"), id: 1, because: .waitedForEarlier),
      .effect(idle("a"), id: 1, because: .canceled),
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
    let results = Transcript<[UnfinishedWork]>()
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
    let unstarted: [UnfinishedWork] = [
      .effect(QuickWork(name: "saved"), id: "save", because: .waitedForTime),
      .effect(idle("b"), id: 1, because: .waitedForEarlier),
    ]
    let stuck = UnfinishedWork.effect(idle("a"), id: 1, because: .canceled)
    #expect(results.lines == Array(repeating: unstarted + [stuck], count: 3))
    mayEnd.send()
    await store.shutdown()
    #expect(await shutDown(store) == unstarted)
  }

  @Test("what an earlier shutdown without bounds has canceled")
  func afterPlainShutdown() async {
    let store = Store<[String]>(clock: clock)
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(9)) }
    store.emit(
      idle("late").scheduled(.delay(.seconds(1)), id: 1), idle("a").scheduled(.sequential, id: 2),
      idle("b").scheduled(.sequential, id: 2))
    await clock.rest()
    await store.shutdown()
    #expect(
      await shutDown(store) == [
        .effect(idle("late"), id: 1, because: .waitedForTime),
        .effect(idle("b"), id: 2, because: .waitedForEarlier),
      ])
  }

  @Test("an effect that a throttle held, which waited for its time")
  func held() async {
    let store = Store<[String]>(clock: clock)
    store.onQuickWork { _, _ in }
    for name in ["first", "held"] {
      store.emit(QuickWork(name: name).scheduled(.throttle(.seconds(1)), id: 1))
    }
    #expect(
      await shutDown(store)
        == [.effect(QuickWork(name: "held"), id: 1, because: .waitedForTime)])
  }

  @Test("an effect that waits to replace a canceled one, and a lasting one, by their ids")
  func restartingAndLasting() async {
    let (mayEnd, lasting) = (Signal(), idle("lasting"))
    let store = Store(
      state: [String](), reducer: working,
      lasting: { [lasting] in $0.isEmpty ? [lasting.lasting(id: "lasting")] : [] }, clock: clock)
    store.onWork { _, _ in await Task.detached { await mayEnd.wait() }.value }
    for name in ["a", "b"] { store.emit(idle(name).scheduled(.restarting, id: 1)) }
    await clock.rest()
    #expect(
      await shutDown(store) == [
        .effect(idle("b"), id: 1, because: .waitedForEarlier),
        .effect(lasting, id: "lasting", because: .canceled),
        .effect(idle("a"), id: 1, because: .canceled),
      ])
    for _ in 0..<2 { mayEnd.send() }
    await store.shutdown()
  }

  @Test("a scheduled effect for synchronous handlers: queued, then running, then no more")
  func synchronous() async {
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    let (isIn, mayGo, isOver) = (Signal(), Gate(), Signal())
    store.onQuickWork { _, _ in
      isIn.send()
      mayGo.pass()
    }
    let work = QuickWork(name: "a")
    store.emit(work.scheduled(.latest, id: 1))
    #expect(await shutDown(store) == [.effect(work, id: 1, because: .queued)])
    startThread { [pump] in
      pump.run()
      isOver.send()
    }
    await isIn.wait()
    #expect(
      await shutDown(store) == [
        .effect(work, id: 1, because: .running), .deliveries(pending: 0, isUnderWay: true),
      ])
    mayGo.open()
    await isOver.wait()
    #expect(await shutDown(store) == [])
  }

  @Test("an effect once that its asynchronous handler missed, while its synchronous one runs")
  func bothKinds() async {
    let store = Store<[String]>(delivery: pump.delivery, clock: clock)
    let (isIn, mayGo, isOver) = (Signal(), Gate(), Signal())
    store.on(QuickWork.self) { _, _ async in Issue.record("started") }
    store.onQuickWork { _, _ in
      isIn.send()
      mayGo.pass()
    }
    let left = UnfinishedWork.effect(QuickWork(name: "a"), id: nil, because: .notStarted)
    store.emit(QuickWork(name: "a"))
    #expect(await shutDown(store) == [left])
    startThread { [pump] in
      pump.run()
      isOver.send()
    }
    await isIn.wait()
    #expect(await shutDown(store) == [left, .deliveries(pending: 0, isUnderWay: true)])
    mayGo.open()
    await isOver.wait()
    #expect(await shutDown(store) == [left])
  }
}

@Suite("Unfinished work", .unwatched)
struct UnfinishedWorkTests {
  private struct Lines: Effect, CustomStringConvertible { let description: String }
  private struct Opaque: Effect {}

  @Test("has one line each as its description")
  func descriptions() {
    func line(_ effect: any Effect, _ reason: UnfinishedWork.Reason) -> String {
      "\(UnfinishedWork.effect(effect, id: "not shown", because: reason))"
    }
    let work = QuickWork(name: "a")
    let name = #"QuickWork(name: "a")"#
    #expect(
      line(work, .waitedForTime) == name + " has not started, because it waited for its time")
    #expect(
      line(work, .waitedForEarlier)
        == name + " has not started, because it waited for an earlier one")
    #expect(line(work, .notStarted) == name + " has not started")
    #expect(line(CounterEffect.wrote(1), .queued) == "CounterEffect.wrote(1) is queued")
    #expect(line(Lines(description: "a\nb"), .running) == "a b runs")
    let long = String(repeating: "x", count: 300)
    #expect(
      line(Lines(description: long), .canceled)
        == long.prefix(200) + " was canceled, but has not returned")

    #expect(
      [
        UnfinishedWork.deliveries(pending: 3, isUnderWay: false),
        .deliveries(pending: 0, isUnderWay: true), .deliveries(pending: 3, isUnderWay: true),
        .movedCalls(2), .records(4),
      ].map(\.description) == [
        "Deliveries that are queued: 3",
        "A delivery is under way",
        "A delivery is under way, and up to 3 wait behind it",
        "Calls that were moved to a queue or the main actor and have not returned: 2",
        "Records that the journal has not written: 4",
      ])
  }

  @Test("is equal to work with an equal effect, id and reason, or with the same counts")
  func equality() {
    let works: [UnfinishedWork] = [
      .effect(QuickWork(name: "a"), id: 1, because: .queued),
      .effect(QuickWork(name: "b"), id: 1, because: .queued),
      .effect(QuickWork(name: "a"), id: 2, because: .queued),
      .effect(QuickWork(name: "a"), id: nil, because: .queued),
      .effect(QuickWork(name: "a"), id: 1, because: .running),
      .deliveries(pending: 1, isUnderWay: false), .deliveries(pending: 1, isUnderWay: true),
      .movedCalls(1), .records(1), .records(2),
    ]
    for (i, a) in works.enumerated() {
      for (j, b) in works.enumerated() { #expect((a == b) == (i == j), "\(a), \(b)") }
    }
    let opaque = UnfinishedWork.effect(Opaque(), id: nil, because: .queued)
    #expect(opaque != opaque)
  }
}
