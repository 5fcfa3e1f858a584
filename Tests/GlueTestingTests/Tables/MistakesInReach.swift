import Glue
import GlueTesting
import Testing

extension MistakeTests {
  /// A house in which a room has answered, where not all is asserted.
  private static func answered(in id: Int) async -> TestStore<House> {
    let test = TestStore(state: House(), reducer: house, exhaustivity: .off)
    await test.reply(ElementIntent(id: id, intent: RoomIntent.lit(3)))
    return test
  }

  /// Mistakes about parts, and about what must not begin or has been left over.
  static let reaches = [
    DeskCase("an element's intent that is received as the whole's", "none → 2. Name it by `in:`") {
      await answered(in: 2).receive(RoomIntent.lit)
    },
    DeskCase("another element's intent", "The ids differ at level 1 (expected → actual): 1 → 2") {
      await answered(in: 2).receive(RoomIntent.lit, in: 1)
    },
    DeskCase("another payload than the closure says", "light: 4 → 3") {
      await answered(in: 2).receive(RoomIntent.lit, in: 2) { state, light in
        state.rooms[2]?.light = light + 1
      }
    },
    DeskCase("an effect that is forbidden", "begun that the test forbids:\n  Work()") {
      let test = deskStore()
      test.forbid(Work.self)
      await test.send(DeskIntent.work, effects: [Work()])
    },
    DeskCase("unfinished effects without a handler", "waits for a handler") {
      await TestStore(state: Desk(), reducer: desk, unfinished: [Work()]).finish()
    },
  ]
}
