import Glue
import Testing

@testable import GlueTesting

@Suite("A test store hears problems, and fails")
struct ProblemTests {
  @Test("at the step that caused them, an advance of the clock included")
  func places() async {
    let lines = [#line + 4, #line + 6]
    let failures = await FailureCollector.failures {
      let test = writingDesk { clock, _ in try? await clock.sleep(for: .seconds(1)) }
      let delay = EffectPolicy.delay(.seconds(-1))
      await test.send(DeskIntent.schedule(delay), effects: scheduled(delay))
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await test.clock.advance(by: .seconds(1))
      await test.finish()
    }
    #expect(failures.map { Int($0.place.line) } == lines)
    #expect(
      failures.last?.message == """
        The store has reported 1 problem:
          Glue: all handlers of a lasting Work have returned, although it is to last: loop until \
        the task is canceled, or dispatch an intent that changes this state.
        If the test is about that: `TestStore(…, expecting:)`.
        """)
  }

  #if DEBUG
    @Test("at the step that a thunk is")
    func placeOfThunk() async {
      let line = #line + 3
      let failures = await FailureCollector.failures {
        let test = deskStore()
        await test.send(Thunk<Desk> { _, _ in })
        await test.finish()
      }
      #expect(failures.map { Int($0.place.line) } == [line])
    }
  #endif

  @Test("at each other step, too")
  func otherSteps() async {
    let messages = await failures {
      let running = deskStore(exhaustivity: .off)
      running.store.dispatch(DeskIntent.schedule(.delay(.seconds(-1))))
      await running.clock.run()
      let working = deskStore(exhaustivity: .off)
      let work = await working.send(DeskIntent.work)
      working.store.dispatch(DeskIntent.schedule(.delay(.seconds(-1))))
      await work.finish()
      let skipping = deskStore(exhaustivity: .off)
      skipping.store.dispatch(DeskIntent.schedule(.delay(.seconds(-1))))
      await skipping.skipReceived()
      let receiving = deskStore()
      receiving.store.dispatch(DeskIntent.schedule(.delay(.seconds(-1))))
      await receiving.receive(DeskIntent.open)
      await receiving.receive(DeskIntent.open)
    }
    #expect(messages.filter { $0.contains("a negative duration") }.count == 4)
    #expect(messages.count == 6, "\(messages)")
  }

  @Test("not for those that it expects, by kind and type")
  func expected() async {
    let messages = await failures {
      let returning = writingDesk(expecting: [.endedLastingEffect(type: "Work")]) { _, _ in }
      await returning.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await returning.finish()
      #if DEBUG
        let thunk = TestStore(
          state: Desk(), reducer: desk, expecting: [.unhandledThunk(type: "Thunk<Desk>")])
        await thunk.send(Thunk<Desk> { _, _ in })
        await thunk.send(Thunk<Desk> { _, _ in })
        let unknown = TestStore(
          state: Desk(), reducer: combineReducers { desk },
          expecting: [.unknownIntent(type: "Foreign", cure: "")])
        await unknown.send(Foreign())
      #endif
      let unhandled = TestStore(
        state: Desk(), reducer: desk, expecting: [.unhandledEffect(type: "Work")])
      await unhandled.send(DeskIntent.work, effects: [Work()])
    }
    #expect(messages == [])
  }

  @Test("not for those that it asserts anyway, or that real time judges", arguments: [false, true])
  func judged(hasSynchronousHandler: Bool) async {
    let roster = Roster()
    if hasSynchronousHandler {
      roster.add("a closure on Work", of: Work.self, isAsync: false, handles: { $0 is Work })
    }
    let log = ProblemLog(expecting: [], roster, .current)
    let type = "Work"
    let others: [Problem] = [
      .endedLastingEffect(type: type), .renewedLastingEffect(type: type),
      .negativeDuration(type: type), .unknownIntent(type: type, cure: ""),
      .unhandledThunk(type: type), .silentMiddleware(index: 0),
      .cancellationOfLastingEffect(type: type), .lostDeliveries, .growingOutbox,
      .endlessDelivery(types: [type]),
    ]
    let harmless: [Problem] = [
      .unhandledEffect(type: type), .slowDelivery(type: type), .heldUpEffect(type: type),
      .heldUpShutdown(type: type),
      .stalledDelivery(place: type, cure: ""),
    ]
    let lasting = Problem.unhandledLastingEffect(type: type)
    for problem in harmless + [lasting] + others + others { log.note(problem) }
    #expect(log.take() == (hasSynchronousHandler ? [lasting] : []) + others)
    #expect(log.take() == [])
  }

  @Test("for one that is expected twice, because a store reports each once", arguments: 1...2)
  func often(expected: Int) async {
    let messages = await failures {
      let test = TestStore(
        state: Desk(), reducer: desk, exhaustivity: .off,
        expecting: Array(repeating: .negativeDuration(type: "Work"), count: expected))
      for _ in 0..<2 { await test.send(DeskIntent.schedule(.delay(.seconds(-1)))) }
      await test.clock.run()
    }
    #expect(messages.count == expected - 1, "\(messages)")
  }

  @Test("once for one that is expected and does not come")
  func missing() async {
    let messages = await failures {
      let test = writingDesk(expecting: [.negativeDuration(type: "Work")])
      await test.finish()
      await test.finish()
    }
    #expect(messages.count == 1)
  }
}
