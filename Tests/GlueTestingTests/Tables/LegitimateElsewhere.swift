import Dispatch
import Glue
import GlueTesting
import Testing

extension LegitimateTests {
  /// Tests of handlers that work outside of the clock's executor.
  static let elsewheres = [
    DeskCase("of a handler on the main actor") {
      let test = deskStore { _, dispatch in
        await MainActor.run {}
        dispatch(DeskIntent.note("a"))
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.note("a"), within: .seconds(60)) { $0.notes = ["a"] }
      await test.finish(within: .seconds(60))
    },
    DeskCase("of a handler with a task of its own") {
      let test = deskStore { _, dispatch in
        dispatch(DeskIntent.note(await Task { "a" }.value))
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(case: DeskIntent.note, within: .seconds(60)) { state, _ in
        state.notes = ["a"]
      }
      await test.finish(within: .seconds(60))
    },
    DeskCase("of a handler that a queue calls back") {
      let test = deskStore { _, dispatch in
        await withCheckedContinuation { continuation in
          DispatchQueue.global().async { continuation.resume() }
        }
        dispatch(DeskIntent.note("a"))
      }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(any: DeskIntent.self, within: .seconds(60)) { state, _ in
        state.notes = ["a"]
      }
      await test.finish(within: .seconds(60))
    },
    DeskCase("of a handler elsewhere, while another effect waits") {
      let test = deskStore { clock, dispatch in
        if clock.now.offset > .zero { return }
        await MainActor.run {}
        dispatch(DeskIntent.note("a"))
      }
      await test.send(DeskIntent.schedule(second), effects: scheduled(second))
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.note("a"), within: .seconds(60)) { $0.notes = ["a"] }
      await test.clock.advance(by: .seconds(1))
      await test.finish(within: .seconds(60))
    },
    DeskCase("of a handler elsewhere that sends nothing") {
      let test = deskStore { _, _ in await MainActor.run {} }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.finish(within: .seconds(60))
    },
    DeskCase("of a handler elsewhere, where not all is asserted") {
      let test = deskStore(exhaustivity: .off) { _, dispatch in
        dispatch(DeskIntent.note("a"))
        await MainActor.run {}
        dispatch(DeskIntent.open)
      }
      await test.send(DeskIntent.work)
      await test.receive(DeskIntent.open, within: .seconds(60)) { $0.letter!.text = "Dear" }
    },
    DeskCase("of the contract of a handler elsewhere") {
      struct Elsewhere: AsyncEffectHandler {
        func handle(effect: Work, dispatch: @escaping DispatchFunc) async {
          await MainActor.run {}
        }
      }
      await checkContract(effects: [Work()], within: .seconds(60)) { _ in Elsewhere() }
    },
  ]
}
