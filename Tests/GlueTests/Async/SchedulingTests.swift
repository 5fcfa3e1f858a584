import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Scheduled effects", .unwatched)
struct SchedulingTests {
  private struct Opaque: Effect {}

  @Test("are equal if their policies, ids and effects are")
  func equality() {
    let effect = Work(name: "a").scheduled(.debounce(.seconds(1)), id: "id")
    #expect(effect == Work(name: "a").scheduled(.debounce(.seconds(1)), id: "id"))
    #expect(effect != Work(name: "a").scheduled(.debounce(.seconds(2)), id: "id"))
    #expect(effect != Work(name: "a").scheduled(.delay(.seconds(1)), id: "id"))
    #expect(effect != Work(name: "b").scheduled(.debounce(.seconds(1)), id: "id"))
    #expect(effect != Work(name: "a").scheduled(.debounce(.seconds(1)), id: 1))
    #expect(Opaque().scheduled(.latest, id: 1) != Opaque().scheduled(.latest, id: 1))
    #expect(CancelEffects(id: "id") == CancelEffects(id: "id"))
    #expect(CancelEffects(id: "id") != CancelEffects(id: "other"))
    #expect(effect.effect as? Work == Work(name: "a"))
    #expect(effect.id as? String == "id")
    #expect(CancelEffects(id: 7).id as? Int == 7)
  }

  @Test("of several policies in a row the last one counts")
  func nested() async {
    let timeline = Timeline()
    let inner = timeline.work("a", columns: 1).scheduled(.delay(.seconds(9)), id: "inner")
    let outer = inner.scheduled(.delay(.milliseconds(200)), id: "outer")
    #expect(outer == timeline.work("a", columns: 1).scheduled(outer.policy, id: "outer"))
    timeline.store.emit(outer)
    timeline.store.emit(CancelEffects(id: "inner"))
    await timeline.expect("a     [ ]")
  }

  @Test(
    "a time of zero or less is none",
    arguments: [Duration.zero, .nanoseconds(-1), .seconds(Int64.min)])
  func noTime(duration: Duration) async {
    let timeline = Timeline()
    for (name, policy) in [
      ("b", EffectPolicy.debounce(duration)), ("d", .delay(duration)), ("t", .throttle(duration)),
    ] {
      await timeline.emit("\(name)1", policy, columns: 3, id: name)
      await timeline.emit("\(name)2", policy, columns: 2, id: name)
    }
    #expect(timeline.clock.sleepers == 5)
    await timeline.expect(
      """
      b1 x
      b2 [ - ]
      d1 [ - - ]
      d2 [ - ]
      t1 [ - - ]
      t2 [ - ]
      """)
  }

  @Test("a very long time passes only if the clock advances", arguments: [true, false])
  func longTime(isCancelled: Bool) async {
    let timeline = Timeline()
    let long = Duration.seconds(Int64.max)
    await timeline.emit("a", .debounce(long), columns: 1, id: 1)
    await timeline.emit("b", .delay(long), columns: 1, id: 2)
    await timeline.emit("c", .throttle(long), columns: 1, id: 3)
    await timeline.emit("d", .throttle(long), columns: 1, id: 3)
    await timeline.clock.advance(by: .seconds(365 * 86_400) * 90)
    #expect(timeline.store.state == ["c"])
    if isCancelled { timeline.store.emit((1...3).map { CancelEffects(id: $0) }) }
    await timeline.clock.run()
    await timeline.store.settled()
    #expect(timeline.store.state.sorted() == (isCancelled ? ["c"] : ["a", "b", "c", "d"]))
  }

  @Test("a very long time is bearable for the system's clocks")
  func longTimeOfTheSystem() async {
    for clock in [ContinuousClock(), SuspendingClock()] as [any Clock<Duration>] {
      let store = Store<[String]>(clock: clock)
      store.onWork { name, dispatch in dispatch(WorkIntent.note(name)) }
      let durations = [
        Duration.seconds(Int64.max), .seconds(90 * 366 * 86_400), Duration(attoseconds: .max),
      ]
      for (id, duration) in durations.enumerated() {
        store.emit(Work(name: "a").scheduled(.delay(duration), id: id))
        store.emit(Work(name: "b").scheduled(.debounce(duration), id: 10 + id))
        store.emit(Work(name: "c").scheduled(.throttle(duration), id: 20 + id))
        store.emit(Work(name: "d").scheduled(.throttle(duration), id: 20 + id))
      }
      await store.shutdown(finishing: .zero, within: Duration(attoseconds: .max))
      #expect(Set(store.state).isSubset(of: ["c"]))
    }
  }

  @Test("ids of different types are one if they are equal as AnyHashable, and else are not")
  func idsOfDifferentTypes() async {
    enum One: Hashable { case id }
    enum Other: Hashable { case id }
    let timeline = Timeline()
    await timeline.emit("a", .latest, columns: 2, id: 1)
    await timeline.emit("b", .latest, columns: 2, id: 1.0)
    await timeline.emit("c", .latest, columns: 2, id: UInt8(1))
    await timeline.emit("d", .latest, columns: 2, id: "1")
    await timeline.emit("e", .latest, columns: 2, id: One.id)
    await timeline.emit("f", .latest, columns: 2, id: Other.id)
    await timeline.expect(
      """
      a x
      b x
      c [ - ]
      d [ - ]
      e [ - ]
      f [ - ]
      """)
  }

  @Test("both kinds of handlers get it, and are called and started in the order they were added")
  func bothKinds() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let order = Transcript<String>()
    store.on(Work.self) { _, _ in order.write("async 1") }
    store.on(Work.self) { (_: Work, _: DispatchFunc) in order.write("sync 2") }
    store.on(Work.self) { _, _ in order.write("async 3") }
    store.on(QuickWork.self) { _, _ in order.write("of another type") }
    store.on(Work.self) { (_: Work, _: DispatchFunc) in order.write("sync 4") }
    for effect in [Work(name: "a"), Work(name: "a").scheduled(.latest, id: 1)] as [any Effect] {
      store.emit(effect)
      await clock.rest()
    }
    let (sync, async) = (["sync 2", "sync 4"], ["async 1", "async 3"])
    #expect(order.lines.filter { $0.hasPrefix("sync") } == sync + sync)
    #expect(order.lines.filter { $0.hasPrefix("async") } == async + async)
    #expect(order.lines.count == 8)
  }

  @Test("tasks are started in the order of the effects")
  func orderOfStarts() async {
    let timeline = Timeline()
    let order = Transcript<String>()
    timeline.store.on(Work.self) { work, _ in order.write(work.name) }
    let names = (0..<100).map { "\($0)" }
    timeline.store.emit(
      names.map { name in
        let work = timeline.work(name, columns: 0)
        return Int(name)! % 2 == 0 ? work : work.scheduled(.sequential, id: name)
      })
    await timeline.clock.rest()
    #expect(order.lines == names)
  }

  @Test("a handler that is added later does not get what is delayed by then")
  func laterHandler() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let calls = Transcript<String>()
    store.onWork { _, _ in calls.write("first") }
    store.emit(Work(name: "a").scheduled(.delay(.seconds(1)), id: 1))
    store.onWork { _, _ in calls.write("second") }
    await clock.run()
    await store.settled()
    #expect(calls.lines == ["first"])
  }

  @Test("nothing is kept of ids that are gone")
  func manyIDs() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let freed = Transcript<Int>()
    store.on(QuickWork.self) { (_: QuickWork, _: DispatchFunc) in }
    for number in 1...600 {
      let id = ObjectID(number) { freed.write(number) }
      store.emit(QuickWork(name: "").scheduled(policies[number % policies.count], id: id))
      if number % 50 == 0 { store.emit(CancelEffects(id: id)) }
    }
    await clock.run()
    await store.settled()
    await clock.rest()
    #expect(freed.lines.sorted() == Array(1...600))
  }
}

extension Store<[String]> {
  fileprivate func emit(_ effects: [any Effect]) { dispatch(WorkIntent.emit(effects)) }
}
