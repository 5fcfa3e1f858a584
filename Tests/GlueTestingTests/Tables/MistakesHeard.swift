import Glue
import GlueTesting
import Testing

extension MistakeTests {
  private static let drops: Middleware<Desk> = { _, _ in { _ in { _ in } } }
  private static let note = DeskIntent.note("a")

  /// Mistakes in the program that the store reports as problems.
  static let heard = inEveryBuild + inDebugBuilds

  private static let inEveryBuild = [
    DeskCase("a lasting effect with a synchronous handler", "no asynchronous handler handles Work")
    {
      let test = TestStore(
        state: Desk(), reducer: desk, lasting: { $0.letter == nil ? [] : [writing] })
      test.on(Work.self) { _, _ in }
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("a lasting effect of the first state with a synchronous handler", "no asynchronous") {
      let test = TestStore(
        state: Desk(), reducer: desk, lasting: { _ in [writing] }, began: [writing])
      test.on(Work.self) { _, _ in }
      await test.send(note) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("a lasting effect whose handler returns", "all handlers of a lasting Work have") {
      let test = writingDesk { _, _ in }
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("a cancellation of a lasting effect", "the id of a lasting Work, which it does not") {
      let work = Work().lasting(id: "work")
      let test = TestStore(
        state: Desk(), reducer: desk, lasting: { $0.letter == nil ? [] : [work] })
      test.stub(Work.self) { _ in [] }
      await test.send(DeskIntent.open, began: [work]) { $0.letter = .init(text: "Dear") }
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
    },
    DeskCase("a lasting effect that every commit renews", "by each of 10 commits in succession") {
      let test = TestStore(
        state: Desk(), reducer: desk,
        lasting: { $0.notes.isEmpty ? [] : [Work().lasting(id: $0.notes.count)] },
        exhaustivity: .off)
      test.stub(Work.self) { _ in [] }
      for _ in 0..<11 { await test.send(note) }
    },
    DeskCase("a problem where no step is, found by the next one", "a negative duration") {
      let test = deskStore(exhaustivity: .off)
      test.store.dispatch(DeskIntent.schedule(.delay(.seconds(-1))))
      await test.finish()
    },
    DeskCase("a problem where no step is, and none comes", "a negative duration") {
      let test = deskStore(exhaustivity: .off)
      test.store.dispatch(DeskIntent.schedule(.delay(.seconds(-1))))
    },
    DeskCase("a problem that is expected, and does not come", "what `expecting:` names:\n  Glue: a")
    {
      let test = writingDesk(expecting: [.negativeDuration(type: "Work")])
      await test.finish()
    },
    DeskCase("another problem than expected", "have returned, although it is to last") {
      let test = writingDesk(expecting: [.negativeDuration(type: "Work")]) { _, _ in }
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
    },
  ]

  /// Problems that only debug builds look for.
  private static let inDebugBuilds: [DeskCase] = {
    #if DEBUG
      [
        DeskCase("a middleware that passes nothing on", "has had 100 intents and keeps no next") {
          let test = deskStore(middleware: [drops])
          for _ in 0..<100 { await test.send(DeskIntent.open) }
        },
        DeskCase("a thunk without its middleware", "Thunk<Desk> reached the reducer, which cannot")
        {
          await deskStore().send(Thunk<Desk> { _, _ in })
        },
        DeskCase(
          "a thunk without its middleware, not all asserted", "Thunk<Desk> reached the reducer"
        ) {
          let test = TestStore(
            state: Desk(), reducer: { (_: inout Desk, _: any Intent) in [any Effect]() },
            exhaustivity: .off)
          await test.send(AsyncThunk<Desk> { _, _ in })
        },
        DeskCase("a thunk of an effect without the middleware", "Thunk<Desk> reached the reducer") {
          let test = deskStore { _, dispatch in dispatch(Thunk<Desk> { _, _ in }) }
          await test.send(DeskIntent.work, effects: [Work()])
          await test.skipReceived()
          await test.finish()
        },
        DeskCase("an intent that no reducer knows, not all asserted", "Foreign reached no reducer")
        {
          let test = TestStore(
            state: Desk(), reducer: combineReducers { desk }, exhaustivity: .off)
          await test.send(Foreign())
        },
        DeskCase("an intent that a reducer under test does not know", "Foreign reached no reducer")
        {
          expect(combineReducers { desk }, from: Desk(), when: Foreign())
        },
        DeskCase(
          "an element's intent with an id of another type, to a reducer", "the ids here are of Int"
        ) {
          expect(
            combineReducers { forEach(\.byNumber, use: desk) }, from: [Desk()],
            when: ElementIntent(id: "0", intent: note))
        },
      ]
    #else
      []
    #endif
  }()

  private struct Save: Effect {}
  private struct Load: Effect {}
  private enum Errand: Effect { case work(Work) }

  /// Effects that send nothing, and of which a test knows why.
  static let silent = [
    DeskCase(
      "an effect without a handler",
      "`Work` has no handler: stubbed are `Save`, `Load`, handled is `Errand`."
    ) {
      let test = deskStore()
      test.stub(Save.self) { _ in [] }
      test.stub(Load.self) { _ in [] }
      test.on(Errand.self) { _, _ async in }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(note)
    },
    DeskCase("an effect in a test without handlers", "has no handler: the test has added none.") {
      let test = deskStore()
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(note)
    },
    DeskCase("a stub of what an effect holds", "a stub of Work doesn't get it: handlers get the E")
    {
      let test = TestStore(
        state: Desk(),
        reducer: { (_: inout Desk, _: DeskIntent) in [Errand.work(Work())] as [any Effect] })
      test.stub(Work.self) { _ in [note] }
      await test.send(DeskIntent.work, effects: [Errand.work(Work())])
      await test.receive(note)
    },
    DeskCase("a stub of scheduled effects", "a stub of ScheduledEffect doesn't get it: handlers") {
      let test = deskStore()
      test.stub(ScheduledEffect.self) { _ in [note] }
      await test.send(DeskIntent.schedule(.latest), effects: scheduled(.latest))
      await test.receive(note)
    },
    DeskCase("a handler that comes too late", "no handler then: a closure on Work was added later")
    {
      let test = deskStore()
      await test.send(DeskIntent.work, effects: [Work()])
      test.on(Work.self) { _, dispatch in dispatch(note) }
      await test.receive(note)
    },
    DeskCase("an effect that another one precedes", "was dropped by `.leading`: an earlier one of")
    {
      let test = deskStore { clock, _ in
        if clock.now.offset == .zero { try? await clock.sleep(for: .seconds(1)) }
      }
      for _ in 0..<2 {
        await test.send(DeskIntent.schedule(.leading), effects: scheduled(.leading))
      }
      await test.clock.run()
      await test.receive(note)
    },
    DeskCase("an effect that a window drops", "was dropped by `.throttle`: one of its id was held")
    {
      let throttle = EffectPolicy.throttle(.seconds(1), latest: false)
      let test = deskStore { _, _ in }
      for _ in 0..<3 {
        await test.send(DeskIntent.schedule(throttle), effects: scheduled(throttle))
      }
      await test.receive(note)
      await test.clock.run()
    },
    DeskCase("an effect that was canceled", "of DeskIntent.schedule(.latest) was canceled while") {
      let test = deskStore { clock, dispatch in
        try? await clock.sleep(for: .seconds(1))
        dispatch(note)
      }
      await test.send(DeskIntent.schedule(.latest), effects: scheduled(.latest))
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      await test.receive(note)
    },
    DeskCase("an effect that was canceled early", "was canceled before it began.") {
      let test = deskStore { _, dispatch in dispatch(note) }
      let delay = EffectPolicy.delay(.seconds(1))
      await test.send(DeskIntent.schedule(delay), effects: scheduled(delay))
      await test.send(DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      await test.receive(note)
    },
    DeskCase("an effect after a shutdown", "Work() of DeskIntent.work was dropped: the store was") {
      let test = deskStore { _, dispatch in dispatch(note) }
      await test.store.shutdown()
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(note)
    },
  ]
}
