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
