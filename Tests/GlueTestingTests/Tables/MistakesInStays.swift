import Glue
import GlueTesting
import Testing

extension MistakeTests {
  private static let drops: Middleware<Desk> = { _, _ in { _ in { _ in } } }
  private static let other = Work().lasting(id: "other")

  /// A desk with a letter on it, whose writing lasts from the first state on.
  private static func letterDesk(
    began: [LastingEffect], _ exhaustivity: TestStore<Desk>.Exhaustivity = .on
  ) -> TestStore<Desk> {
    TestStore(
      state: Desk(letter: .init(text: "Dear")), reducer: desk,
      lasting: { $0.letter == nil ? [] : [writing] }, began: began, exhaustivity: exhaustivity)
  }

  /// Mistakes about effects that last.
  static let stays = [
    DeskCase("a beginning of what a middleware drops", "(expected, not begun)") {
      await deskStore(middleware: [drops]).send(DeskIntent.open, began: [writing])
    },
    DeskCase("an end of what a middleware drops", "(expected, not ceased)") {
      await deskStore(middleware: [drops]).send(DeskIntent.open, ceased: [writing])
    },
    DeskCase("a beginning of what is dropped, not all asserted", "(expected, not begun)") {
      await deskStore(middleware: [drops], exhaustivity: .off)
        .send(DeskIntent.open, began: [writing])
    },
    DeskCase("an end of what is dropped, not all asserted", "(expected, not ceased)") {
      await deskStore(middleware: [drops], exhaustivity: .off)
        .send(DeskIntent.open, ceased: [writing])
    },
    DeskCase("a beginning that is not there, not all asserted", "(expected, not begun)") {
      await deskStore(exhaustivity: .off).send(DeskIntent.open, began: [writing])
    },
    DeskCase("an end that is not there, not all asserted", "(expected, not ceased)") {
      await deskStore(exhaustivity: .off).send(DeskIntent.open, ceased: [writing])
    },
    DeskCase("another beginning, not all asserted", #"− Work(), id "other" (expected, not begun)"#)
    {
      let test = writingDesk()
      test.exhaustivity = .off
      await test.send(DeskIntent.open, began: [other])
    },
    DeskCase("a beginning that is received, not all asserted", "(expected, not begun)") {
      let test = deskStore(exhaustivity: .off) { _, dispatch in dispatch(DeskIntent.note("a")) }
      await test.send(DeskIntent.work)
      await test.receive(DeskIntent.note("a"), began: [writing])
    },
    DeskCase("an effect that lasts from the first state on", "(begun, not expected)") {
      await letterDesk(began: []).finish()
    },
    DeskCase("an effect that lasts from the first state on, alone", "(begun, not expected)") {
      _ = letterDesk(began: [])
    },
    DeskCase("another effect from the first state on", #"− Work(), id "other" (expected"#) {
      await letterDesk(began: [other]).finish()
    },
    DeskCase("another from the first state on, not all asserted", #"− Work(), id "other" (exp"#) {
      await letterDesk(began: [other], .off).finish()
    },
  ]
}
