import Glue
import GlueTesting
import Testing

extension MistakeTests {
  private static let drops: Middleware<Desk> = { _, _ in { _ in { _ in } } }
  private static let other = Work().lasting(id: "other")

  /// A desk with a letter on it, at which somebody writes from the first state on.
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
    DeskCase("an effect that lasts from the first state on, before a step", "(begun, not expected)")
    {
      await letterDesk(began: []).send(DeskIntent.note("a")) { $0.notes = ["a"] }
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

  /// Calls that check nothing.
  static let vacuous = [
    DeskCase("a reducer that gets no intent", "expect checks nothing: give it an intent") {
      expect(desk, from: Desk())
    },
    DeskCase("a closure of a reducer's changes that changes nothing", "closure changes nothing") {
      expect(desk, from: Desk(), when: .work, effects: [Work()]) { $0.notes = [] }
    },
    DeskCase("a closure that changes nothing", "closure changes nothing, and nothing has changed") {
      await deskStore().send(DeskIntent.work, effects: [Work()]) { $0.notes = [] }
    },
    DeskCase("a closure that changes nothing of what is dropped", "closure changes nothing") {
      await deskStore(middleware: [drops]).send(DeskIntent.open) { $0.letter = nil }
    },
    DeskCase("a closure that changes nothing of what is received", "closure changes nothing") {
      let test = deskStore { _, dispatch in dispatch(DeskIntent.cancel) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.cancel, effects: [CancelEffects(id: "work")]) { $0.notes = [] }
    },
    DeskCase("no seeds", "explore checks nothing: give it seeds") {
      await explore(seeds: 0) { _ in }
    },
    DeskCase("fewer seeds than none", "explore checks nothing: give it seeds") {
      await explore(seeds: -1) { _ in }
    },
    DeskCase("the contract of an asynchronous handler without effects", "checks nothing: give it") {
      struct Idle: AsyncEffectHandler {
        func handle(effect: Work, dispatch: @escaping DispatchFunc) async {}
      }
      await checkContract(effects: []) { _ in Idle() }
    },
    DeskCase("the contract of a handler without effects", "checks nothing: give it effects") {
      await checkContract(effects: []) { _ in RecordingHandler<Work>() }
    },
    DeskCase("skipping what has not come", "skipReceived has nothing to skip") {
      await deskStore().skipReceived()
    },
    DeskCase("skipping what has come, again", "skipReceived has nothing to skip") {
      let test = await noting()
      await test.skipReceived()
      await test.skipReceived()
    },
    DeskCase("skipping what is not in flight", "skipInFlight has nothing to skip") {
      await deskStore().skipInFlight()
    },
    DeskCase("skipping a thunk", "skipInFlight has nothing to skip") {
      let test = deskStore(middleware: [thunkMiddleware()])
      await test.send(
        AsyncThunk<Desk> { [clock = test.clock] _, _ in try? await clock.sleep(for: .seconds(1)) })
      await test.skipInFlight()
      await test.clock.run()
    },
  ]
}
