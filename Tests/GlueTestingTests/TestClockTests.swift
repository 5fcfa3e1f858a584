import Glue
import Synchronization
import ProcessSupport
import Testing

@testable import GlueTesting

@Suite("A test clock", .tags(.threads))
struct TestClockTests {
  struct Ping: Effect, Equatable {}
  struct Pong: Intent {}
  struct Go: Intent {}

  /// A store that counts pongs, whose effect does the work of a test.
  func store(
    _ clock: any Clock<Duration>,
    _ work: @escaping @Sendable (@escaping DispatchFunc) async -> Void
  ) -> Store<Int> {
    let store = Store(
      state: 0,
      reducer: { (state: inout Int, intent: any Intent) -> [any Effect] in
        if intent is Go { return [Ping().scheduled(.delay(.seconds(2)), id: 1)] }
        state += 1
        return []
      }, clock: clock)
    store.on(Ping.self) { _, dispatch async in await work(dispatch) }
    return store
  }

  @Test("advancing returns when what it woke has come to rest")
  func rest() async {
    let clock = TestClock()
    let store = store(clock) { dispatch in
      try? await clock.sleep(for: .seconds(1))
      dispatch(Pong())
    }
    store.dispatch(Go())
    await clock.advance(by: .milliseconds(2900))
    #expect(store.state == 0)
    await clock.advance(by: .milliseconds(100))
    #expect(store.state == 1)
    await store.settled()
    store.dispatch(Go())
    store.dispatch(Go())
    await clock.run()
    await store.settled()
    #expect(store.state == 3)
    store.dispatch(Go())
    await store.shutdown()
    await clock.rest()
    #expect(clock.sleepers == 0)
  }

  @Test("child tasks come to rest, in groups and by async let")
  func childTasks() async {
    let clock = TestClock()
    let store = store(clock) { dispatch in
      @Sendable func work(_ depth: Int) async {
        dispatch(Pong())
        if depth == 0 { return }
        async let one: Void = work(depth - 1)
        await withTaskGroup { group in
          for _ in 0..<2 { group.addTask { await work(depth - 1) } }
        }
        await one
      }
      await work(5)
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(2))
    #expect(store.state == 1 + 3 + 9 + 27 + 81 + 243)
  }

  private actor Tally {
    private var count = 0
    func add(_ dispatch: DispatchFunc) async {
      count += 1
      await Task.yield()
      dispatch(Pong())
    }
  }

  @Test("default actors come to rest, contended by many tasks")
  func actors() async {
    let clock = TestClock(seed: 1)
    let store = store(clock) { dispatch in
      let tally = Tally()
      await withTaskGroup { group in
        for _ in 0..<100 { group.addTask { await tally.add(dispatch) } }
      }
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(2))
    #expect(store.state == 100)
  }

  @Test("tasks that wait for one another come to rest, by streams and continuations")
  func continuations() async {
    let clock = TestClock()
    let store = store(clock) { dispatch in
      let (stream, values) = AsyncStream<Int>.makeStream()
      async let reading: Void = {
        for await _ in stream { dispatch(Pong()) }
      }()
      for value in 0..<50 {
        await withCheckedContinuation { continuation in
          values.yield(value)
          continuation.resume()
        }
        await Task.yield()
      }
      values.finish()
      await reading
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(2))
    #expect(store.state == 50)
  }

  private final class Order: Sendable { let numbers = Locked<[Int]>([]) }

  @Test("what is due at one instant runs in the order in which it began to wait, in each run")
  func ties() async {
    for _ in 0..<200 {
      let clock = TestClock()
      let order = Order()
      let store = Store(
        state: 0,
        reducer: { (_: inout Int, intent: any Intent) -> [any Effect] in
          if intent is Pong { return [] }
          return [Ping()] + (1...3).map { Ping().scheduled(.delay(.seconds(2)), id: $0) }
        }, clock: clock)
      store.on(Ping.self) { _, _ async in
        if clock.now.offset > .zero { return order.numbers.withLock { $0.append(1) } }
        await withTaskGroup { group in
          for number in 1...3 {
            group.addTask {
              try? await clock.sleep(for: .seconds(2))
              order.numbers.withLock { $0.append(-number) }
            }
          }
        }
      }
      store.dispatch(Go())
      await clock.advance(by: .seconds(2))
      #expect(order.numbers.withLock { $0 } == [-1, -2, -3, 1, 1, 1])
    }
  }

  @Test("deadlines come in their order, however far the clock is advanced")
  func deadlines() async {
    let clock = TestClock()
    let store = store(clock) { dispatch in
      for tick in 1...3 {
        try? await clock.sleep(for: .seconds(1))
        if clock.now.offset == .seconds(2 + tick) { dispatch(Pong()) }
      }
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(100))
    #expect(store.state == 3)
    #expect(clock.now.offset == .seconds(100))
  }

  @Test("sleeping is canceled before, while and after it waits")
  func cancellation() async {
    let clock = TestClock()
    let early = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await early.value }
    await #expect(throws: Never.self) { try await clock.sleep(for: .zero) }
    let store = store(clock) { dispatch in
      do { try await clock.sleep(for: .seconds(1)) } catch { dispatch(Pong()) }
    }
    store.dispatch(Go())
    await clock.advance(by: .seconds(2))
    #expect(clock.sleepers == 1)
    await store.shutdown()
    #expect(clock.sleepers == 0)
    #expect(store.state == 0)
  }

  @Test("on an immediate clock effects start in the order of their emission, and at once")
  func immediately() async {
    let clock = ImmediateClock()
    let store = store(clock) { dispatch in
      try? await clock.sleep(for: .seconds(1))
      dispatch(Pong())
    }
    store.dispatch(Go())
    store.dispatch(Go())
    await clock.rest()
    #expect(store.state == 2)
    #expect(clock.now.offset >= .seconds(3))
  }

  /// A store with an effect that waits again and again.
  private func ticking(_ clock: any Clock<Duration>) -> Store<Int> {
    let store = store(clock) { _ in while (try? await clock.sleep(for: .seconds(1))) != nil {} }
    store.dispatch(Go())
    return store
  }

  @Test("repeated waiting ends with the task that waits for it, not before")
  func ending() async {
    let clock = TestClock()
    let store = ticking(clock)
    let running = Task { await clock.run(limit: .max) }
    let advancing = Task { await clock.advance(by: .seconds(Int64.max)) }
    running.cancel()
    advancing.cancel()
    await running.value
    await advancing.value
    let immediate = ImmediateClock()
    let restless = ticking(immediate)
    let resting = Task { await immediate.rest() }
    resting.cancel()
    await resting.value
    withExtendedLifetime([store, restless]) {}
  }

  @Test("running a clock ends at its limit, and names the sleeping work")
  func limit() async {
    let clock = TestClock()
    let store = ticking(clock)
    let messages = await failures { await clock.run(limit: 3) }
    #expect(
      messages == [
        """
        run() has woken the tasks that wait at 3 deadlines, and at 5.0 seconds one waits again:
          Ping() sleeps until 5.0 seconds
        Advance the clock by a time instead, or have it canceled before. Work that ends \
        later needs a higher limit.
        """
      ])
    #expect(await failures { await clock.run(limit: -1) }.count == 1)
    withExtendedLifetime(store) {}
  }

  @Test("calls that advance it at once take turns")
  func turns() async {
    let clock = TestClock()
    let store = ticking(clock)
    await withTaskGroup { group in
      for _ in 0..<20 { group.addTask { await clock.advance(by: .seconds(5)) } }
    }
    #expect(clock.now.offset == .seconds(100))
    withExtendedLifetime(store) {}
  }

  @Test("an immediate clock does not go back")
  func immediateClockStays() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(until: .init(offset: .seconds(5)), tolerance: nil)
    try await clock.sleep(until: .init(offset: .seconds(3)), tolerance: nil)
    #expect(clock.now.offset == .seconds(5))
  }
}
