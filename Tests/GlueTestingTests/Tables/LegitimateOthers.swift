import Glue
import Testing

@testable import GlueTesting

extension LegitimateTests {
  /// Tests without a test store.
  static let others = [
    DeskCase("of a reducer") {
      expect(desk, from: Desk(), when: .note("a"), .work, effects: [Work()]) {
        $0.notes = ["a"]
        _ = try #require($0.notes.first)
      }
    },
    DeskCase("of an effect that lasts") {
      let test = writingDesk { clock, dispatch in
        while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(DeskIntent.note("a")) }
      }
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await test.clock.advance(by: .seconds(2))
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a", "a"] }
      await test.finish()
    },
    DeskCase("of effects that last from the first state on") {
      let test = TestStore(
        state: Desk(letter: .init(text: "Dear")), reducer: desk,
        lasting: { $0.letter == nil ? [] : [writing] }, began: [writing])
      await test.send(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("of an effect that lasts, with a stub") {
      let test = TestStore(
        state: Desk(), reducer: desk, lasting: { $0.notes.isEmpty ? [] : [writing] })
      test.stub(Work.self) { _ in [DeskIntent.open] }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.send(DeskIntent.note("a"), began: [writing]) { $0.notes = ["a"] }
      await test.receive(DeskIntent.open)
      await test.clock.advance(by: .seconds(1))
      await test.finish()
    },
    DeskCase("of an effect that lasts from the first state on, with a stub") {
      let test = TestStore(
        state: Desk(letter: .init()), reducer: desk,
        lasting: { $0.letter?.text == "" ? [writing] : [] }, began: [writing])
      test.stub(Work.self) { _ in [DeskIntent.open] }
      await test.receive(DeskIntent.open, ceased: [writing]) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("of a problem that it expects") {
      let test = writingDesk(expecting: [.endedLastingEffect(type: "Work")]) { _, _ in }
      await test.send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("of a task of its own that has ended, or is skipped") {
      let test = deskStore()
      Task.immediate { [clock = test.clock] in try await clock.sleep(for: .seconds(1)) }
      await test.clock.advance(by: .seconds(1))
      Task.immediate { [clock = test.clock] in try await clock.sleep(for: .seconds(1)) }
      await test.skipInFlight()
      await test.finish()
    },
    DeskCase("of effects that last, where not all is asserted") {
      let test = writingDesk()
      test.exhaustivity = .off
      await test.send(DeskIntent.open, began: [writing])
      try #require(test.unasserted.count == 1)
      let other = writingDesk()
      other.exhaustivity = .off
      await other.send(DeskIntent.open)
      try #require(
        other.unasserted.last == #"DeskIntent.open: began to last: Work(), id "letter""#)
    },
    DeskCase("of work that the test cancels") {
      let test = deskStore { clock, dispatch in
        try? await clock.sleep(for: .seconds(1))
        dispatch(DeskIntent.open)
      }
      let work = await test.send(DeskIntent.work, effects: [Work()])
      let later = await test.send(DeskIntent.schedule(second), effects: scheduled(second))
      await work.cancel()
      await later.cancel()
      await later.finish()
      await test.finish()
      try #require(test.clock.sleepers == 0)
    },
    DeskCase("of work that the test cancels, and of other work") {
      let test = deskStore { clock, dispatch in
        dispatch(DeskIntent.note("a"))
        try? await clock.sleep(for: .seconds(1))
        dispatch(DeskIntent.open)
      }
      let sequential = EffectPolicy.sequential
      let first = await test.send(DeskIntent.schedule(sequential), effects: scheduled(sequential))
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      let second = await test.send(DeskIntent.schedule(sequential), effects: scheduled(sequential))
      await first.cancel()
      await first.finish()
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a", "a"] }
      await test.clock.advance(by: .seconds(1))
      await second.finish()
      await test.receive(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("of work elsewhere that is awaited, by the store's limit") {
      let test = deskStore { _, dispatch in
        await MainActor.run {}
        dispatch(DeskIntent.note("a"))
      }
      test.limit = .seconds(60)
      await test.send(DeskIntent.schedule(second), effects: scheduled(second))
      await test.send(DeskIntent.work, effects: [Work()]).finish()
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.clock.advance(by: .seconds(1))
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a", "a"] }
      await test.finish()
    },
    DeskCase("of which a part does not assert all") {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.withExhaustivity(.off) { await test.send(DeskIntent.work) }
      try #require(test.exhaustivity == .on)
      await test.send(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("that skips what may be there") {
      let test = deskStore()
      await test.skipReceived(strict: false)
      await test.skipInFlight(strict: false)
    },
    DeskCase("of the contract of a handler") {
      struct Waiting: AsyncEffectHandler {
        let clock: TestClock
        func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
          try? await clock.sleep(for: .seconds(1))
        }
      }
      await checkContract(effects: [Work()]) { Waiting(clock: $0) }
    },
    DeskCase("of a store on a clock that takes no time") {
      let clock = ImmediateClock()
      let store = Store(state: Desk(), reducer: desk, clock: clock)
      store.on(Work.self) { _, dispatch async in dispatch(DeskIntent.open) }
      store.dispatch(DeskIntent.schedule(second))
      await clock.rest()
      try #require(store.state.letter != nil)
    },
    DeskCase("in many orders") {
      await explore(over: [0, 1, 2], at: here()) { clock in
        let test = deskStore(clock: clock) { _, dispatch in
          await Task.yield()
          dispatch(DeskIntent.note("a"))
        }
        await test.send(DeskIntent.work, effects: [Work()])
        await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
        await test.finish()
      }
    },
  ]

  private static func here() -> Place {
    Place(fileID: #fileID, filePath: #filePath, line: #line, column: 1)
  }
}
