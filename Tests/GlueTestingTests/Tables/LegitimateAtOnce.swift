import Glue
import Testing

@testable import GlueTesting

extension LegitimateTests {
  /// Dispatches another intent before the one that it passes on.
  private static let announces: Middleware<Desk> = { dispatch, _ in
    { next in
      { intent in
        if case DeskIntent.open = intent { dispatch(DeskIntent.note("opens")) }
        next(intent)
      }
    }
  }

  /// Tests of what a store does at once.
  static let stores = [
    DeskCase("of changes") {
      let test = deskStore()
      await test.send(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.send(DeskIntent.count(2, of: "b")) { $0.notes += ["b", "b"] }
      await test.finish()
    },
    DeskCase("without an end") {
      await deskStore().send(DeskIntent.note("a")) { $0.notes = ["a"] }
    },
    DeskCase("of effects that nobody handles") {
      let test = deskStore()
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish()
    },
    DeskCase("with a stub") {
      let test = deskStore()
      test.stub(Work.self) { _ in [DeskIntent.note("a"), DeskIntent.open] }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.receive(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("that receives by a case") {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.count(2, of: "a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(case: DeskIntent.count) { state, _ in state.notes = ["a", "a"] }
      await test.finish()
    },
    DeskCase("that receives by a type, with changes") {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(any: DeskIntent.self) { state, _ in state.notes = ["a"] }
      await test.finish()
    },
    DeskCase("that receives by a condition") {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.open) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(any: DeskIntent.self, where: \.isOpening) { state, _ in
        state.letter = .init(text: "Dear")
      }
      await test.finish()
    },
    DeskCase("of a middleware that drops") {
      let test = deskStore(middleware: [{ _, _ in { _ in { _ in } } }])
      await test.send(DeskIntent.open)
      await test.finish()
    },
    DeskCase("of a middleware that dispatches something before") {
      let test = deskStore(middleware: [announces])
      await test.send(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.receive(DeskIntent.note("opens")) { $0.notes = ["opens"] }
      test.assert { $0.letter = .init(text: "Dear") }
      await test.finish()
    },
    DeskCase("of a thunk") {
      let test = deskStore(middleware: [thunkMiddleware()])
      await test.send(Thunk<Desk> { dispatch, _ in dispatch(DeskIntent.note("a")) })
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("of a subscriber that dispatches") {
      let test = deskStore()
      let subscription = test.store.subscribe(selector: \.letter) { [weak store = test.store] in
        if $0 != nil { store?.dispatch(DeskIntent.note("opened")) }
      }
      await test.send(DeskIntent.open) { $0.letter = .init(text: "Dear") }
      await test.receive(DeskIntent.note("opened")) { $0.notes = ["opened"] }
      await test.finish()
      subscription.cancel()
    },
    DeskCase("of what the store itself is told") {
      let test = deskStore()
      test.store.dispatch(DeskIntent.note("a"))
      await test.receive(DeskIntent.note("a")) { $0.notes = ["a"] }
    },
    DeskCase("that does not assert all") {
      let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.open) }
      await test.send(DeskIntent.note("a"))
      await test.send(DeskIntent.work)
      await test.receive(DeskIntent.open) { $0.letter?.text = "Dear" }
    },
    DeskCase("that sets what was not there before, where not all is asserted") {
      let test = deskStore(exhaustivity: .off)
      await test.send(DeskIntent.open) { $0.letter!.text = "Dear" }
      await test.send(DeskIntent.count(2, of: "b")) { $0.notes[1] = "b" }
      try #require(test.unasserted == [])
    },
    DeskCase("that asserts the state alone, where not all is asserted") {
      let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.open) }
      await test.send(DeskIntent.work)
      test.assert { $0.letter!.text = "Dear" }
    },
    DeskCase("that skips what has come") {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.skipReceived()
      test.assert { $0.notes = ["a"] }
      await test.finish()
    },
    DeskCase("with closures that may throw") {
      let test = deskStore()
      await test.send(DeskIntent.open) {
        $0.letter = .init(text: "Dear")
        _ = try #require($0.letter)
      }
      await test.finish()
    },
    DeskCase("with a monitor") {
      final class Counting: Monitor {
        let count = Locked(0)
        func observe(_ commit: Commit<Desk>) { count.withLock { $0 += 1 } }
      }
      let counting = Counting()
      await deskStore(monitors: [counting]).send(
        DeskIntent.cancel, effects: [CancelEffects(id: "work")])
      try #require(counting.count.withLock { $0 } == 1)
    },
  ]
}
