import Glue
import GlueTesting
import Testing

extension LegitimateTests {
  static let second = EffectPolicy.delay(.seconds(1))

  /// Tests with time.
  static let times = [
    DeskCase("of a debounced effect") {
      let debounce = EffectPolicy.debounce(.seconds(1))
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      for _ in 0..<3 {
        await test.send(DeskIntent.schedule(debounce), effects: scheduled(debounce))
        await test.clock.advance(by: .milliseconds(900))
      }
      await test.clock.advance(by: .milliseconds(100))
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("of a throttled effect, with its window open at the end") {
      let throttle = EffectPolicy.throttle(.seconds(1))
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.schedule(throttle), effects: scheduled(throttle))
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("of a throttled effect that a handler's intent causes") {
      let throttle = EffectPolicy.throttle(.seconds(1))
      let test = deskStore()
      test.on(Work.self) { _, dispatch async in dispatch(DeskIntent.schedule(throttle)) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(case: DeskIntent.schedule, effects: scheduled(throttle))
      await test.receive(case: DeskIntent.schedule, effects: scheduled(throttle))
      await test.skipInFlight()
      await test.store.shutdown()
      await test.finish()
    },
    DeskCase("of effects in sequence") {
      let test = deskStore { clock, dispatch in
        try? await clock.sleep(for: .seconds(1))
        dispatch(DeskIntent.note("\(clock.now.offset)"))
      }
      for _ in 0..<2 {
        await test.send(DeskIntent.schedule(.sequential), effects: scheduled(.sequential))
      }
      await test.clock.advance(by: .seconds(2))
      await test.receive(DeskIntent.note("1.0 seconds")) { $0.notes = ["1.0 seconds"] }
      await test.receive(DeskIntent.note("2.0 seconds")) { $0.notes += ["2.0 seconds"] }
      await test.finish()
    },
    DeskCase("of an effect that is canceled while it works") {
      let test = deskStore { clock, dispatch in
        try? await clock.sleep(for: .seconds(1))
        dispatch(DeskIntent.open)
      }
      await test.send(DeskIntent.schedule(.latest), effects: scheduled(.latest))
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      await test.finish()
    },
    DeskCase("of an effect that leads") {
      let test = deskStore { clock, _ in try? await clock.sleep(for: .seconds(1)) }
      for _ in 0..<2 {
        await test.send(DeskIntent.schedule(.leading), effects: scheduled(.leading))
      }
      await test.clock.advance(by: .seconds(1))
      try #require(test.startedEffects.count == 1)
      await test.finish()
    },
    DeskCase("of an asynchronous thunk") {
      let test = deskStore(middleware: [thunkMiddleware()])
      await test.send(
        AsyncThunk<Desk> { [clock = test.clock] dispatch, _ in
          try? await clock.sleep(for: .seconds(1))
          dispatch(DeskIntent.note("a"))
        })
      await test.clock.run()
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("that advances a clock in many steps") {
      let clock = TestClock()
      let store = Store(state: Desk(), reducer: desk, clock: clock)
      store.on(Work.self) { _, dispatch async in
        while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(DeskIntent.note("")) }
      }
      store.dispatch(DeskIntent.work)
      for step in 1...50 {
        await clock.advance(by: .seconds(1))
        try #require(store.state.notes.count == step)
      }
    },
    DeskCase("that leaves what works") {
      let test = deskStore { clock, _ in while (try? await clock.sleep(for: .seconds(1))) != nil {}
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.clock.advance(by: .seconds(3))
      await test.skipInFlight()
      await test.finish()
    },
    DeskCase("that shuts the store down") {
      let test = deskStore { clock, _ in try? await clock.sleep(for: .seconds(1)) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.store.shutdown()
      await test.finish()
    },
    DeskCase("of two stores on a clock") {
      let one = deskStore { clock, _ in try? await clock.sleep(for: .seconds(1)) }
      let other = deskStore(clock: one.clock) { clock, _ in try? await clock.sleep(for: .seconds(2))
      }
      await one.send(DeskIntent.work, effects: [Work()])
      await other.send(DeskIntent.work, effects: [Work()])
      await one.clock.advance(by: .seconds(1))
      await one.finish()
      await one.clock.advance(by: .seconds(1))
      await other.finish()
    },
    DeskCase("that advances a clock twice at once") {
      let clock = TestClock()
      let sleep = Task.immediate { try await clock.sleep(for: .seconds(6)) }
      async let first: Void = clock.advance(by: .seconds(5))
      async let second: Void = clock.advance(by: .seconds(5))
      _ = await (first, second)
      await clock.run()
      try await sleep.value
      try #require(clock.now.offset >= .seconds(10))
    },
    DeskCase("of groups of tasks and actors") {
      actor Tally {
        private(set) var count = 0
        func add() async {
          await Task.yield()
          count += 1
        }
      }
      let test = deskStore { _, dispatch in
        let tally = Tally()
        await withTaskGroup { group in
          for _ in 0..<5 { group.addTask { await tally.add() } }
        }
        dispatch(DeskIntent.count(await tally.count, of: "a"))
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.count(5, of: "a")) { $0.notes = ["a", "a", "a", "a", "a"] }
      await test.finish()
    },
    DeskCase("of a handler with a time limit of its own") {
      let test = deskStore { clock, dispatch in
        let limit = Task.immediate { try await clock.sleep(for: .seconds(9)) }
        dispatch(DeskIntent.note("a"))
        limit.cancel()
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("of streams") {
      let test = deskStore { _, dispatch in
        let (stream, continuation) = AsyncStream<String>.makeStream()
        async let reading: Void = {
          for await text in stream { dispatch(DeskIntent.note(text)) }
        }()
        for text in ["a", "b"] { continuation.yield(text) }
        continuation.finish()
        await reading
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.receive(DeskIntent.note("b")) { $0.notes = ["a", "b"] }
      await test.finish()
    },
  ]
}
