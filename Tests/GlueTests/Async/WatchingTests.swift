import Dispatch
import Glue
import GlueTesting
import ProcessSupport
import Synchronization
import Testing

@Suite("Work that should end and doesn't, or ends and shouldn't, is a problem", .unwatched)
struct WatchingTests {
  private let problems = Transcript<Problem>()

  /// Problems that only debug builds find.
  private func expect(_ expected: Problem..., line: Int = #line) {
    #if DEBUG
      #expect(problems.lines == expected, "line \(line)")
    #else
      #expect(problems.lines.isEmpty, "line \(line)")
    #endif
  }

  // MARK: - Lasting effects

  private func lastingStore(on clock: TestClock) -> Store<[String]> {
    Store(
      state: [], reducer: working,
      lasting: { notes in notes.last == "end" ? [] : [Work(name: "a").lasting(id: "a")] },
      clock: clock, report: { [problems] in problems.write($0) })
  }

  @Test("a lasting effect whose handlers have all returned although it is to last")
  func endedLastingEffect() async {
    let clock = TestClock()
    let store = lastingStore(on: clock)
    for seconds in [1, 2] {
      store.onWork { _, _ in try? await clock.sleep(for: .seconds(seconds)) }
    }
    await clock.advance(by: .seconds(1))
    #expect(problems.lines.isEmpty)
    await clock.advance(by: .seconds(1))
    #expect(problems.lines == [.endedLastingEffect(type: "Work")])
    await store.shutdown()
  }

  @Test("none that ends because the state no longer names it, or with the store")
  func ceasedLastingEffects() async {
    let clock = TestClock()
    let store = lastingStore(on: clock)
    store.onWork { _, dispatch in
      try? await clock.sleep(for: .seconds(1))
      dispatch(WorkIntent.note("end"))
    }
    await clock.advance(by: .seconds(1))
    #expect(store.state == ["end"])
    store.note("again")
    await clock.rest()
    await store.shutdown()
    #expect(problems.lines.isEmpty)
  }

  // MARK: - Middleware

  private func store(_ middleware: Middleware<[String]>...) -> Store<[String]> {
    Store(
      state: [], reducer: working, middleware: middleware,
      report: { [problems] in problems.write($0) })
  }

  @Test("a middleware that has passed on none of 100 intents")
  func silentMiddleware() {
    let passing: Middleware<[String]> = { _, _ in { next in { next($0) } } }
    let store = store(passing, { _, _ in { _ in { _ in } } })
    for _ in 0..<99 { store.note("") }
    #expect(problems.lines.isEmpty)
    for _ in 0..<200 { store.note("") }
    expect(.silentMiddleware(index: 1))
  }

  @Test("none that gets thunks alone, which it keeps")
  func thunks() {
    let store = store(thunkMiddleware())
    for _ in 0..<200 { store.dispatch(Thunk<[String]> { _, _ in }) }
    #expect(problems.lines.isEmpty)
  }

  @Test("none that keeps next, to pass on in a batch or from a task")
  func middlewareThatWaits() {
    let batches = Transcript<Int>()
    let inBatches: Middleware<[String]> = { _, _ in
      let batch = Shared<[any Intent]>([])
      return { next in
        { intent in
          let full = batch.change { batch -> [any Intent] in
            batch.append(intent)
            defer { if batch.count == 250 { batch = [] } }
            return batch.count == 250 ? batch : []
          }
          if !full.isEmpty { batches.write(full.count) }
          for intent in full { next(intent) }
        }
      }
    }
    let fromATask: Middleware<[String]> = { _, _ in
      { next in { intent in Task { next(intent) } } }
    }
    store(fromATask).note("first")
    let store = store(inBatches, fromATask)
    for _ in 0..<500 { store.note("") }
    #expect(batches.lines == [250, 250])
    #expect(problems.lines.isEmpty)
  }

  @Test("none that has passed on one, at once or later")
  func middlewareThatDropsMost() {
    let kept = Shared<DispatchFunc?>(nil)
    let seldom: Middleware<[String]> = { _, _ in
      let count = Shared(0)
      return { next in
        { intent in
          if count.change({
            $0 += 1; return $0
          }) == 50 {
            next(intent)
          }
        }
      }
    }
    let later: Middleware<[String]> = { _, _ in
      { next in
        kept.value = next
        return { _ in }
      }
    }
    let store = store(seldom, later)
    for _ in 0..<60 { store.note("") }
    kept.value?(WorkIntent.note("later"))
    for _ in 0..<200 { store.note("") }
    #expect(problems.lines.isEmpty)
    kept.value = nil
  }

  // MARK: - Deliveries that take long

  /// A clock on which what should take time says so.
  private final class Hands: Clock {
    private let time = Mutex(TestClock().now)
    let minimumResolution = Duration.zero

    var now: TestClock.Instant { time.withLock { $0 } }

    func sleep(until deadline: TestClock.Instant, tolerance: Duration?) async {}

    func turn(by duration: Duration) {
      time.withLock { $0 = $0.advanced(by: duration) }
    }
  }

  /// A store whose real time is that of a clock.
  private func store(_ hands: Hands) -> Store<[String]> {
    let start = hands.now
    let time = RealTime(interval: nil) { start.duration(to: hands.now) }
    return RealTime.current.withValue(time) { store() }
  }

  @Test("no time that passes on the store's clock alone")
  func clockTurnedByHand() {
    let hands = Hands()
    let store = Store(
      state: [], reducer: working, clock: hands, report: { [problems] in problems.write($0) })
    store.onQuickWork { _, _ in hands.turn(by: .seconds(100)) }
    store.emit(QuickWork(name: "a"))
    #expect(problems.lines.isEmpty)
  }

  @Test("a synchronous handler that takes more than a second", arguments: [1000, 1001])
  func slowHandler(milliseconds: Int) {
    let hands = Hands()
    let store = store(hands)
    store.onQuickWork { _, _ in hands.turn(by: .milliseconds(milliseconds)) }
    store.emit(QuickWork(name: "a"), QuickWork(name: "b"))
    if milliseconds > 1000 { expect(.slowDelivery(type: "QuickWork")) } else { expect() }
  }

  @Test("a handler of all effects, by the effect's type")
  func slowHandlerOfAll() {
    let hands = Hands()
    let store = store(hands)
    store.add(effectHandler: Slow(hands: hands))
    store.emit(QuickWork(name: "a"))
    expect(.slowDelivery(type: "QuickWork"))
  }

  private final class Slow: EffectHandler {
    let hands: Hands

    init(hands: Hands) { self.hands = hands }

    func handle(effect: any Effect, dispatch: @escaping DispatchFunc) {
      hands.turn(by: .seconds(2))
    }
  }

  @Test("a subscriber that takes more than a second, unless its calls are moved to a queue")
  func slowSubscriber() async {
    let hands = Hands()
    let store = store(hands)
    let queue = DispatchQueue(label: "slow")
    queue.suspend()
    let moved = store.subscribe(on: queue, selector: \.count) { _ in
      hands.turn(by: .seconds(2))
    }
    queue.resume()
    await store.delivered()
    #expect(problems.lines.isEmpty)
    moved.cancel()
    let subscription = store.subscribe(selector: { $0.count }) { count in
      if count == 1 { hands.turn(by: .seconds(2)) }
    }
    expect()
    store.note("a")
    expect(.slowDelivery(type: "Int"))
    subscription.cancel()
  }

  @Test("a subscriber that takes more than a second on the main actor, for which it has waited")
  func slowMainActorSubscriber() async {
    let hands = Hands()
    let store = store(hands)
    let subscription = store.subscribe(selector: \.count) { @MainActor _ in
      hands.turn(by: .seconds(2))
    }
    await store.delivered()
    expect(.slowDelivery(type: "Int"))
    subscription.cancel()
  }
}
