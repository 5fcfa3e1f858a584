import Glue
import GlueTesting
import Testing

@Suite("The task of an asynchronous handler")
struct EffectTaskTests {
  @TaskLocal private static var request = 0

  @Test(
    "inherits the priority and the task-local values of the delivering thread",
    arguments: [false, true], [false, true])
  func inherits(hasExecutor: Bool, isScheduled: Bool) async {
    let clock: any Clock<Duration> = hasExecutor ? TestClock() : ContinuousClock()
    let store = Store<[String]>(delivery: .immediate, clock: clock)
    let seen = Transcript<String>()
    store.on(Work.self) { (_: Work, _: @escaping DispatchFunc) async in
      seen.write("\(Self.request) \(Task.basePriority == .high)")
    }
    let work = Work(name: "a")
    let effect: any Effect = isScheduled ? work.scheduled(.latest, id: "a") : work
    await Task(priority: .high) {
      Self.$request.withValue(7) { store.emit(effect) }
    }.value
    await store.settled()
    #expect(seen.lines == ["7 true"])
  }

  @Test("is canceled with its effect, like that of another handler, and not before")
  func canceled() async {
    let clock = TestClock()
    let store = Store<[String]>(clock: clock)
    let seen = Transcript<String>()
    for name in ["a", "b"] {
      store.on(Work.self) { (_: Work, _: @escaping DispatchFunc) async in
        try? await clock.sleep(for: .seconds(1))
        seen.write("\(name) \(Task.isCancelled)")
      }
    }
    store.emit(Work(name: "w").scheduled(.latest, id: "id"))
    await clock.advance(by: .seconds(1))
    store.emit(Work(name: "w").scheduled(.latest, id: "id"))
    await clock.rest()
    store.emit(CancelEffects(id: "id"))
    await store.settled()
    #expect(seen.lines == ["a false", "b false", "a true", "b true"])
  }
}
