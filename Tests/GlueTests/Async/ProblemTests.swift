import Glue
import GlueTesting
import Synchronization
import ProcessSupport
import Testing

@Suite("Problems are reported, each once for a kind and a type", .unwatched)
struct ProblemTests {
  private let problems = Transcript<Problem>()
  private let clock = TestClock()

  private func store(
    middleware: [Middleware<[String]>] = [], delivery: Delivery = .immediate,
    lasting: (@Sendable ([String]) -> [LastingEffect])? = nil
  ) -> Store<[String]> {
    Store(
      state: [], reducer: working, middleware: middleware, lasting: lasting, delivery: delivery,
      clock: clock, report: { [problems] in problems.write($0) })
  }

  @Test("effects that no handler handles, scheduled or not")
  func unhandledEffects() {
    let store = store()
    store.emit(QuickWork(name: "a"), QuickWork(name: "b"))
    store.onQuickWork { _, _ in }
    store.emit(
      QuickWork(name: "c"), Work(name: "d").scheduled(.latest, id: 1), CancelEffects(id: 2),
      Send(WorkIntent.note("")))
    #expect(
      problems.lines == [.unhandledEffect(type: "QuickWork"), .unhandledEffect(type: "Work")])
    store.add(effectHandler: RecordingHandler<any Effect>())
    store.emit(Other())
    #expect(problems.lines.count == 2, "a handler of any effect handles all")
  }

  private struct Other: Effect {}

  @Test("nothing of effects that are emitted after the shutdown")
  func afterShutdown() async {
    let store = store()
    await store.shutdown()
    store.emit(QuickWork(name: "a"))
    #expect(problems.lines.isEmpty)
  }

  @Test("lasting effects without an asynchronous handler, those of the first state at an intent")
  func unhandledLastingEffects() {
    let store = store(lasting: { notes in
      notes.isEmpty ? [Work(name: "a").lasting(id: 1)] : [QuickWork(name: "a").lasting(id: 1)]
    })
    store.onQuickWork { _, _ in }
    #expect(problems.lines.isEmpty)
    store.note("a")
    #expect(problems.lines == [.unhandledLastingEffect(type: "QuickWork")])
    store.note("b")
    #expect(problems.lines.count == 1)
  }

  #if DEBUG
    @Test("thunks without their middleware, in a store with others or none")
    func thunks() async {
      let passOn: Middleware<[String]> = { _, _ in { next in { intent in next(intent) } } }
      for middleware in [[], [passOn]] {
        let problems = Transcript<Problem>()
        let store = Store(
          state: [], reducer: working, middleware: middleware, report: { problems.write($0) })
        store.dispatch(Thunk<[String]> { dispatch, _ in dispatch(WorkIntent.note("never")) })
        store.dispatch(AsyncThunk<[String]> { dispatch, _ in dispatch(WorkIntent.note("never")) })
        #expect(
          problems.lines.map(\.description.utf8.count).count == 2 && store.state.isEmpty)
        #expect(problems.lines.first == .unhandledThunk(type: "Thunk<Array<String>>"))
      }
      let store = store(middleware: [thunkMiddleware()])
      store.dispatch(Thunk<[String]> { dispatch, getState in dispatch(WorkIntent.note("ran")) })
      #expect(store.state == ["ran"])
      #expect(problems.lines.isEmpty)
    }

    @Test("a thunk among the first intents, which pass no middleware")
    func thunkAmongFirst() {
      let thunk = Thunk<[String]> { dispatch, _ in dispatch(WorkIntent.note("never")) }
      let store = Store(
        state: [], reducer: working, middleware: [thunkMiddleware()],
        report: { [problems] in problems.write($0) }, first: [thunk, WorkIntent.note("a")],
        handlers: { _ in })
      #expect(problems.lines == [.unhandledThunk(type: "Thunk<Array<String>>")])
      #expect(store.state == ["a"])
    }
  #endif

  @Test("an outbox of more than 100,000 deliveries")
  func growingOutbox() {
    let pump = Pump()
    let store = store(delivery: pump.delivery)
    let subscription = store.subscribe(selector: \.count) { _ in }
    for _ in 0..<99_999 { store.note("") }
    #expect(problems.lines.isEmpty)
    for _ in 0..<10 { store.note("") }
    #expect(problems.lines == [.growingOutbox])
    pump.run()
    withExtendedLifetime(subscription) {}
  }

  @Test("one dispatch with 1,000,000 deliveries, with the types of the last intents")
  func endlessDelivery() {
    let count = Atomic(0)
    let store = store()
    let idle = QuickWork(name: "idle")
    store.onQuickWork { name, dispatch in
      if name != "idle", count.add(1, ordering: .relaxed).newValue < 1100 {
        dispatch(
          WorkIntent.emit([QuickWork(name: name)] + Array(repeating: idle, count: 999)))
      }
    }
    store.emit(QuickWork(name: "a"))
    #expect(problems.lines == [.endlessDelivery(types: ["QuickWork"])])
    let observed = store.newest.commit
    store.note("later")
    #expect(store.newest.commit == observed, "later commits are not observed")
  }

  #if DEBUG
    @Test(
      "one dispatch with 100,000 deliveries is one that takes more than two seconds",
      arguments: [2000, 2001])
    func lateDelivery(milliseconds: Int) {
      let time = Shared(Duration.zero)
      let count = Atomic(0)
      let store = RealTime.current.withValue(RealTime(interval: nil) { time.value }) {
        Store(state: [], reducer: working, report: { [problems] in problems.write($0) })
      }
      let idle = QuickWork(name: "idle")
      store.onQuickWork { name, dispatch in
        let round = name == "idle" ? nil : count.add(1, ordering: .relaxed).newValue
        guard let round, round <= 210 else { return }
        if round <= 200 { time.value += .milliseconds(milliseconds) / 200 }
        dispatch(WorkIntent.emit(Array(repeating: idle, count: 999) + [QuickWork(name: name)]))
      }
      store.emit(QuickWork(name: "a"))
      #expect(
        problems.lines
          == (milliseconds > 2000 ? [.endlessDelivery(types: ["QuickWork"])] : []))
    }
  #endif

  @Test("a lasting effect whose value or id differs after each of ten commits", arguments: 0...2)
  func renewedLastingEffect(kind: Int) async {
    let store = store(lasting: { notes in
      let work = Work(name: "\(notes.count)")
      switch kind {
      case 0: return [work.lasting(id: "a")]
      case 1: return [Work(name: "a").lasting(id: notes.count)]
      default: return notes.count == 5 ? [] : [work.lasting(id: "a")]
      }
    })
    store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
    for _ in 0..<9 { store.note("") }
    #expect(problems.lines.isEmpty)
    store.note("")
    #expect(problems.lines == (kind == 2 ? [] : [.renewedLastingEffect(type: "Work")]))
    for _ in 0..<10 { store.note("") }
    #expect(problems.lines == [.renewedLastingEffect(type: "Work")])
    await store.shutdown()
  }

  @Test("no lasting effect that other commits leave alone in between, or one that is the oldest")
  func lastingEffectsThatChange() async {
    let others = store(lasting: { [Work(name: "\($0.count / 2)").lasting(id: "a")] })
    let rows = store(lasting: { notes in
      (notes.count..<notes.count + 3).map { Work(name: "\($0)").lasting(id: $0) }
    })
    for store in [others, rows] {
      store.onWork { [clock] _, _ in try? await clock.sleep(for: .seconds(1)) }
      for _ in 0..<50 { store.note("") }
      await store.shutdown()
    }
    #expect(problems.lines.isEmpty)
  }

  @Test("a negative duration of a policy, but not a duration of zero")
  func negativeDurations() async {
    let policies = [
      EffectPolicy.delay, { EffectPolicy.debounce($0) }, { EffectPolicy.throttle($0) },
    ]
    for policy in policies {
      let problems = Transcript<Problem>()
      let store = Store(
        state: [], reducer: working, clock: clock, report: { problems.write($0) })
      store.onQuickWork { _, _ in }
      store.emit(QuickWork(name: "a").scheduled(policy(.zero), id: 1))
      #expect(problems.lines.isEmpty)
      for _ in 0..<2 { store.emit(QuickWork(name: "a").scheduled(policy(.seconds(-1)), id: 1)) }
      #expect(problems.lines == [.negativeDuration(type: "QuickWork")])
      await store.shutdown()
    }
  }

  @Test("a burst of deliveries that ends is no endless delivery, and nothing is kept of it")
  func burst() {
    let store = store()
    let idle = QuickWork(name: "idle")
    store.onQuickWork { name, dispatch in
      if name == "burst" {
        for _ in 0..<1010 {  // More than a batch beyond the million.
          dispatch(WorkIntent.emit(Array(repeating: idle, count: 1000)))
        }
      }
      if name == "last" { dispatch(WorkIntent.note("end")) }
    }
    store.emit(QuickWork(name: "burst"), QuickWork(name: "last"))
    for _ in 0..<100 { store.note("") }
    #expect(problems.lines.filter { $0 != .growingOutbox }.isEmpty)
  }

  @Test("a loop that releases a body without running it loses deliveries, before a shutdown")
  func lostDeliveries() async {
    let (pump, problems) = (Pump(), Transcript<Problem>())
    let store = Store(
      state: [], reducer: working, delivery: pump.delivery, report: { problems.write($0) })
    store.onQuickWork { _, _ in }
    store.emit(QuickWork(name: "a"))
    pump.run()
    await store.shutdown()
    #expect(problems.lines == [])
    let (loop, other) = (Pump(), Transcript<Problem>())
    let losing = Store(
      state: [], reducer: working, delivery: loop.delivery, report: { other.write($0) })
    losing.onQuickWork { _, _ in }
    losing.emit(QuickWork(name: "a"))
    _ = loop.next()
    #expect(other.lines == [.lostDeliveries])
    #expect("\(Problem.lostDeliveries)".hasPrefix("Glue: the loop of Delivery.custom"))
  }

  @Test("a released body that would only have ended a call of perform loses nothing")
  func releasedEndOfPerform() async {
    let (loop, problems) = (Pump(), Transcript<Problem>())
    let store = Store(
      state: [], reducer: working, delivery: loop.delivery, report: { problems.write($0) })
    let call = Task.immediate { await store.perform(WorkIntent.note("a")) }
    _ = loop.next()
    await call.value
    #expect(problems.lines == [])
  }

  @Test("each is a line that begins with Glue and names the type")
  func lines() {
    let all: [Problem] = [
      .unhandledEffect(type: "Type"), .unhandledLastingEffect(type: "Type"),
      .missingPart(type: "Type", cure: "cure"), .duplicateElement(type: "Type"),
      .cancellationOfOwnEffect(type: "Type"),
      .unhandledThunk(type: "Type"), .cancellationOfLastingEffect(type: "Type"),
      .heldUpEffect(type: "Type"),
      .endlessDelivery(types: ["Type"]), .endedLastingEffect(type: "Type"),
      .renewedLastingEffect(type: "Type"), .negativeDuration(type: "Type"),
      .heldUpShutdown(type: "Type"), .stalledDelivery(place: "Type", cure: "cure"),
      .unknownIntent(type: "Type", cure: "a forEach takes it"), .slowDelivery(type: "Type"),
    ]
    for problem in all {
      #expect(problem.description.hasPrefix("Glue: "))
      #expect(problem.description.contains("Type"))
      #expect(!problem.description.contains("\n"))
    }
  }

  @Test("its article fits the name")
  func article() {
    #expect("\(Problem.heldUpEffect(type: "Alarm"))".hasPrefix("Glue: an Alarm has"))
    #expect("\(Problem.heldUpEffect(type: "UserName"))".hasPrefix("Glue: a UserName has"))
  }

  @Test("report may use the store (G6)")
  func insideReport() {
    let held = Shared<Store<[String]>?>(nil)
    held.value = Store(
      state: [], reducer: working, report: { _ in held.value?.note("reported") })
    held.value?.emit(QuickWork(name: "a"))
    #expect(held.value?.state == ["reported"])
    held.value = nil
  }
}
