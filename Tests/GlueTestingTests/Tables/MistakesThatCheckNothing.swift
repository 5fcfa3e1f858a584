import Glue
import GlueTesting
import Testing

extension MistakeTests {
  private static let drops: Middleware<Desk> = { _, _ in { _ in { _ in } } }
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
