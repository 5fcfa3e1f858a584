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
    DeskCase("another payload than the closure says", "light: 4 → 3") {
      await answered(in: 2).receive(case: RoomIntent.lit, in: 2) { state, light in
        state.rooms[2]?.light = light + 1
      }
    }
  ]
}
