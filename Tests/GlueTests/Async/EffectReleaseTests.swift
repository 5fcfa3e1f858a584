import Glue
import GlueTesting
import ProcessSupport
import Testing

private struct Owning: Effect {
  let owned: OnDeinit
}

/// Each effect and each id owns a deinit that dispatches an intent whose commit emits an effect.
///
/// Under a lock of the store that would deadlock or stop the program.
@Suite("The engine releases objects with no lock held", .unwatched)
struct EffectReleaseTests {
  private let clock = TestClock()
  private let store: Store<[String]>
  private let released = Transcript<String>()

  init() { store = EffectReleaseTests.store(on: clock) }

  private static func store(on clock: TestClock) -> Store<[String]> {
    let store = Store(clock: clock)
    store.on(Owning.self) { _, _ in try? await clock.sleep(for: .seconds(1)) }
    store.on(QuickWork.self) { _, _ in }
    return store
  }

  private func emit(_ policy: EffectPolicy) { emit(policy, to: store) }

  /// Emits an effect with an id equal to all others, and holds neither.
  private func emit(_ policy: EffectPolicy, to store: Store<[String]>) {
    let emitOnDeinit: @Sendable (String) -> Void = { [released, weak store] note in
      released.write(note)
      store?.note(note)
      store?.emit(QuickWork(name: note).scheduled(.concurrent, id: "other"))
    }
    let effect = Owning(owned: OnDeinit { emitOnDeinit("effect") })
    store.emit(effect.scheduled(policy, id: ObjectID(1) { emitOnDeinit("id") }))
  }

  @Test("when they end", arguments: policies)
  func ending(policy: EffectPolicy) async {
    for _ in 1...3 { emit(policy) }
    await clock.run()
    await store.settled()
    await expectAllReleased(3)
  }

  @Test("when they are canceled, while they wait or run", arguments: policies)
  func canceled(policy: EffectPolicy) async {
    for _ in 1...3 { emit(policy) }
    store.emit(CancelEffects(id: ObjectID(1)))
    await clock.rest()
    await store.settled()
    await expectAllReleased(3)
  }

  @Test("when they are canceled before their turn", arguments: policies)
  func canceledBeforeTheirTurn(policy: EffectPolicy) async {
    store.onQuickWork { [self] name, _ in
      if name != "block" { return }
      for _ in 1...3 { emit(policy) }
      store.emit(CancelEffects(id: ObjectID(1)))
    }
    store.emit(QuickWork(name: "block"))
    await clock.rest()
    await store.settled()
    await expectAllReleased(3)
  }

  @Test("with a store that was shut down, which keeps what never started", arguments: policies)
  func shutdown(policy: EffectPolicy) async {
    await shutDownStore { store in for _ in 1...3 { emit(policy, to: store) } }
    await expectAllReleased(3)
  }

  private func shutDownStore(_ body: (Store<[String]>) -> Void) async {
    let store = EffectReleaseTests.store(on: clock)
    body(store)
    await store.shutdown()
  }

  private func expectAllReleased(_ count: Int) async {
    await clock.rest()
    #expect(released.lines.count { $0 == "id" } == count)
    #expect(released.lines.count { $0 == "effect" } == count)
  }
}

/// A handler that keeps its callback would keep itself, if the callback kept the effect's handlers.
@Suite("A kept callback keeps neither its effect nor its handler", .unwatched)
struct KeptCallbackTests {
  private final class Keeper: AsyncEffectHandler {
    private let clock: TestClock
    private let kept = Shared<DispatchFunc?>(nil)
    private let owned: OnDeinit

    init(_ clock: TestClock, _ owned: OnDeinit) { (self.clock, self.owned) = (clock, owned) }

    func handle(effect: Owning, dispatch: @escaping DispatchFunc) async {
      kept.value = dispatch
      try? await clock.sleep(for: .seconds(1))
    }
  }

  private let clock = TestClock()
  private let released = Transcript<String>()

  private func storeWithKeeper() -> Store<[String]> {
    let store = Store<[String]>(clock: clock)
    store.add(effectHandler: Keeper(clock, OnDeinit { released.write("handler") }))
    return store
  }

  private func effect(_ policy: EffectPolicy?) -> any Effect {
    let effect = Owning(owned: OnDeinit { released.write("effect") })
    return policy.map { effect.scheduled($0, id: "work") } ?? effect
  }

  @Test(
    "after the effect's end", arguments: [nil, .concurrent, .delay(.seconds(1))] as [EffectPolicy?])
  func afterItsEnd(policy: EffectPolicy?) async {
    var store: Store? = storeWithKeeper()
    store?.emit(effect(policy))
    await clock.run()
    await store?.settled()
    #expect(released.lines == ["effect"])
    store = nil
    #expect(released.lines == ["effect", "handler"])
  }

  @Test("in a call of perform, whose synchronous handler keeps it")
  func synchronous() async {
    final class Keeper: EffectHandler, Sendable {
      private let kept = Shared<DispatchFunc?>(nil)
      private let owned: OnDeinit
      init(_ owned: OnDeinit) { self.owned = owned }
      func handle(effect: Owning, dispatch: @escaping DispatchFunc) { kept.value = dispatch }
    }
    var store: Store<[String]>? = Store(clock: clock)
    store?.add(effectHandler: Keeper(OnDeinit { released.write("handler") }))
    await store?.perform(WorkIntent.emit([effect(nil)]))
    #expect(released.lines == ["effect"])
    store = nil
    #expect(released.lines == ["effect", "handler"])
  }

  @Test("after the effect was canceled", arguments: [.concurrent, .latest] as [EffectPolicy])
  func canceled(policy: EffectPolicy) async {
    var store: Store? = storeWithKeeper()
    store?.emit(effect(policy))
    await clock.rest()
    store?.emit(CancelEffects(id: "work"))
    await clock.rest()
    #expect(released.lines == ["effect"])
    store = nil
    #expect(released.lines == ["effect", "handler"])
  }

  @Test(
    "after a store that was released while the handler ran",
    arguments: [nil, .latest] as [EffectPolicy?])
  func whileItRuns(policy: EffectPolicy?) async {
    var store: Store? = storeWithKeeper()
    store?.emit(effect(policy))
    await clock.rest()
    store = nil
    await clock.rest()
    #expect(released.lines.sorted() == ["effect", "handler"])
  }
}
