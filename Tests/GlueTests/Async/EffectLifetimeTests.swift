import Glue
import GlueTesting
import ProcessSupport
import Testing

@Suite("Nothing of effects is kept, and a store that goes ends them", .unwatched)
struct EffectLifetimeTests {
  /// Keeps its callbacks, and knows when it is freed.
  private final class Keeping: EffectHandler {
    let freed: OnDeinit
    var kept: [DispatchFunc] = []

    init(_ freed: OnDeinit) { self.freed = freed }

    func handle(effect: any Effect, dispatch: @escaping DispatchFunc) { kept.append(dispatch) }
  }

  private struct Sleeping: AsyncEffectHandler {
    let clock: TestClock
    let freed: OnDeinit
    let ended: Transcript<Bool>

    func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
      try? await clock.sleep(for: .seconds(5))
      dispatch(WorkIntent.note("never"))
      ended.write(Task.isCancelled)
    }
  }

  private struct Owning: Effect {
    let owned: OnDeinit
  }

  private let clock = TestClock()
  private let freed = Transcript<String>()
  private let ended = Transcript<Bool>()

  private func onDeinit(_ name: String) -> OnDeinit {
    OnDeinit { [freed] in freed.write(name) }
  }

  private func makeStore(delivery: Delivery = .immediate) -> Store<[String]> {
    let store = Store<[String]>(delivery: delivery, clock: clock)
    store.add(effectHandler: Keeping(onDeinit("sync")))
    store.add(effectHandler: Sleeping(clock: clock, freed: onDeinit("async"), ended: ended))
    return store
  }

  @Test("store and handlers are freed while effects wait and run, whose tasks are canceled")
  func freedWhileRunning() async {
    let notes = Transcript<[String]>()
    var store: Store<[String]>? = makeStore()
    let weakStore = Weak(object: store)
    let subscription = store?.subscribe { notes.write($0) }
    store?.emit(Work(name: "a"))
    for (id, policy) in policies.enumerated() {
      store?.emit(Work(name: "a").scheduled(policy, id: id))
      store?.emit(Work(name: "b").scheduled(policy, id: id))
    }
    await clock.rest()
    #expect(clock.sleepers > 8)

    store = nil

    #expect(weakStore.object == nil)
    await clock.rest()
    #expect(clock.sleepers == 0)
    #expect(freed.lines.sorted() == ["async", "sync"])
    #expect(ended.lines.allSatisfy { $0 })
    #expect(ended.lines.count >= 5)
    #expect(notes.lines == [[]])
    withExtendedLifetime(subscription) {}
  }

  @Test("an effect with an id is freed at its end, though its handler has left a task behind")
  func freedBesideTask() async {
    let store = makeStore()
    let mayEnd = Signal()
    store.on(Owning.self) { _, _ async in Task.detached { await mayEnd.wait() } }
    store.emit(Owning(owned: onDeinit("effect")).scheduled(.latest, id: "owning"))
    await clock.rest()
    #expect(freed.lines == ["effect"])
    mayEnd.send()
  }

  @Test("ended effects are freed, though the store and a callback stay")
  func freedAfterTheEnd() async {
    let store = makeStore()
    store.on(Owning.self) { [clock] _, _ in try? await clock.sleep(for: .milliseconds(1)) }
    for policy in policies {
      store.emit(Owning(owned: onDeinit("effect")).scheduled(policy, id: "\(policy)"))
    }
    store.emit(Owning(owned: onDeinit("effect")))
    await clock.run()
    await store.settled()
    await clock.rest()
    #expect(freed.lines == Array(repeating: "effect", count: policies.count + 1))
  }

  @Test("a canceled effect is freed before the deliveries of the commit that cancels it")
  func freedBeforeDeliveries() async {
    let store = Store<[String]>(clock: clock)
    store.on(Owning.self) { (_: Owning, _: DispatchFunc) in }
    store.onQuickWork { [freed] _, _ in freed.write("delivered") }
    let effect = Shared<(any Effect)?>(
      Owning(owned: onDeinit("effect")).scheduled(.delay(.seconds(1)), id: 1))
    store.emit(effect.exchange(nil)!)
    await clock.rest()
    store.emit(CancelEffects(id: 1), QuickWork(name: ""))
    #expect(freed.lines == ["effect", "delivered"])
  }

  @Test("the last reference is dropped within an effect, in its turn or its task")
  func droppedWithin() async {
    for isAsync in [true, false] {
      let slot = Shared<Store<[String]>?>(Store<[String]>(clock: clock))
      let weakStore = Weak(object: slot.value)
      let isCancelled = Transcript<Bool>()
      let drop: @Sendable (String, DispatchFunc) -> Void = { _, dispatch in
        slot.value = nil
        dispatch(WorkIntent.note("still here, or not"))
        isCancelled.write(Task.isCancelled)
      }
      if isAsync { slot.value?.onWork { drop($0, $1) } } else { slot.value?.onQuickWork(drop) }
      let effect: any Effect = isAsync ? Work(name: "") : QuickWork(name: "")
      slot.value?.emit(effect.scheduled(.delay(.seconds(1)), id: 1))
      await clock.run()
      await clock.rest()
      #expect(weakStore.object == nil)
      #expect(isCancelled.lines.count == 1)
    }
  }

  @Test("a store whose posted body is never run is freed with the body, and its effects with it")
  func bodyNeverRun() async {
    let pump = Pump()
    var store: Store<[String]>? = makeStore(delivery: pump.delivery)
    let weakStore = Weak(object: store)
    store?.on(Owning.self) { _, _ in }
    store?.emit(Owning(owned: onDeinit("effect")).scheduled(.throttle(.seconds(1)), id: 1))
    store?.emit(Owning(owned: onDeinit("effect")).scheduled(.throttle(.seconds(1)), id: 1))
    store?.emit(Owning(owned: onDeinit("effect")))
    store = nil
    #expect(weakStore.object != nil)
    while pump.next() != nil {}
    await clock.rest()
    #expect(weakStore.object == nil)
    #expect(freed.lines.sorted() == ["async", "effect", "effect", "effect", "sync"])
  }

  @Test("a waiting call keeps the store until it returns")
  func waiting() async {
    var store: Store<[String]>? = makeStore()
    let weakStore = Weak(object: store)
    store?.emit(Work(name: "a"))
    let slot = Shared(store)
    let waiter = await Waiter(on: clock) { await slot.exchange(nil)?.settled() }
    store = nil
    #expect(weakStore.object != nil)
    await clock.run()
    #expect(waiter.isOver)
    #expect(weakStore.object == nil)
  }
}
