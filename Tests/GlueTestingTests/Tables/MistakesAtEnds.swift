import Glue
import GlueTesting
import Testing

extension MistakeTests {
  /// Mistakes at the end.
  static let ends = [
    DeskCase("an intent after the end", "DeskIntent.open, not from an effect") {
      let test = deskStore()
      await test.finish()
      test.store.dispatch(DeskIntent.open)
      await test.clock.advance(by: .seconds(1))
    },
    DeskCase("an intent where no step is", "DeskIntent.open, not from an effect") {
      let test = deskStore()
      test.store.dispatch(DeskIntent.open)
      await test.clock.advance(by: .seconds(1))
    },
    DeskCase("an effect after the end", "waits for its time") {
      let test = deskStore()
      await test.finish()
      test.store.dispatch(DeskIntent.schedule(.delay(.seconds(1))))
    },
    DeskCase("an intent that comes after others were skipped", "DeskIntent.open, not from") {
      let test = await noting()
      await test.skipReceived()
      test.store.dispatch(DeskIntent.open)
      await test.finish()
    },
    DeskCase("an intent of an effect that was skipped", "DeskIntent.open, from the effect") {
      let test = deskStore { clock, dispatch in
        try? await clock.sleep(for: .seconds(1))
        dispatch(DeskIntent.open)
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.skipInFlight()
      await test.clock.run()
      await test.finish()
    },
    DeskCase("a thunk that runs, skipped or not", "An AsyncThunk runs") {
      let test = deskStore(middleware: [thunkMiddleware()])
      await test.send(
        AsyncThunk<Desk> { [clock = test.clock] _, _ in try? await clock.sleep(for: .seconds(1)) })
      await test.skipInFlight()
      await test.finish()
    },
    DeskCase("an effect that is held", "waits for the end of its window") {
      let test = deskStore { _, _ in }
      for _ in 0..<2 {
        await test.send(
          DeskIntent.schedule(.throttle(.seconds(1))), effects: scheduled(.throttle(.seconds(1))))
      }
      await test.finish()
    },
    DeskCase("a handler that outlives its cancellation", "has not returned") {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      let test = deskStore { _, _ in await Task { for await _ in stream {} }.value }
      await test.send(DeskIntent.schedule(.latest), effects: scheduled(.latest))
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      await test.finish(within: .milliseconds(1))
      continuation.finish()
    },
    DeskCase("a handler that outlives its cancellation, while another returns", "has not returned")
    {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      let test = deskStore { clock, _ in
        if clock.now.offset == .zero { await Task { for await _ in stream {} }.value }
      }
      await test.send(DeskIntent.schedule(.latest), effects: scheduled(.latest))
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      await test.clock.advance(by: .seconds(1))
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
      continuation.finish()
    },
    DeskCase("a task that a handler leaves", "A task that a closure on Work made for Work() still")
    {
      let test = deskStore { clock, _ in
        Task.immediate { try await clock.sleep(for: .seconds(1)) }
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
    },
    DeskCase("a task that a synchronous handler leaves", "A task that Leaving made for Work()") {
      final class Leaving: EffectHandler {
        let clock: TestClock
        init(clock: TestClock) { self.clock = clock }
        func handle(effect: Work, dispatch: @escaping DispatchFunc) {
          Task.immediate { [clock] in try await clock.sleep(for: .seconds(1)) }
        }
      }
      let test = deskStore()
      test.add(effectHandler: Leaving(clock: test.clock))
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
    },
    DeskCase("a task that no store runs", "A task that no store runs waits for the clock, until 1")
    {
      let test = deskStore { clock, _ in
        Task.immediateDetached { try await clock.sleep(for: .seconds(1)) }
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
    },
    DeskCase("a task that no store runs, alone", "A task that no store runs waits for the clock") {
      let test = deskStore()
      Task.immediate { [clock = test.clock] in try await clock.sleep(for: .seconds(1)) }
    },
    DeskCase("an intent that a part leaves", "was not received before the end of the part:") {
      let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.withExhaustivity(.on) { await test.send(DeskIntent.work, effects: [Work()]) }
    },
  ]

  /// Mistakes in what is around the store.
  static let wholes = [
    DeskCase("setting a clock back", "can't be set back, as by -1.0 seconds") {
      await TestClock().advance(by: .seconds(-1))
    },
    DeskCase("a closure of a reducer's changes that throws", "threw an error: Lost()") {
      struct Lost: Error {}
      expect(desk, from: Desk(), when: .open) { _ in throw Lost() }
    },
    DeskCase("a handler that does not end", "did not return when Work() was canceled") {
      struct Deaf: AsyncEffectHandler {
        let clock: TestClock
        func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
          await Task { try? await clock.sleep(for: .seconds(1)) }.value
        }
      }
      await checkContract(effects: [Work()], within: .zero) { Deaf(clock: $0) }
    },
  ]
}
