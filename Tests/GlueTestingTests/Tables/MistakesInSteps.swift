import Glue
import GlueTesting
import Testing

extension MistakeTests {
  private static let drops: Middleware<Desk> = { _, _ in { _ in { _ in } } }

  /// Only debug builds look into combined reducers.
  private static let elementWithoutReducer: DeskCase = {
    #if DEBUG
      let message = "ElementIntent<Int> of Foreign reached no reducer"
    #else
      let message = "Desk(notes: "
    #endif
    return DeskCase("an element's intent that no reducer knows", message) {
      let test = TestStore(
        state: [Desk](), reducer: combineReducers { forEach(\.byNumber, use: desk) })
      await test.send(ElementIntent(id: 1, intent: Foreign())) { $0.append(Desk(notes: ["a"])) }
    }
  }()

  /// Mistakes in a step.
  static let steps = [
    DeskCase("a change that is not asserted", #"notes[0]: added "a""#) {
      await deskStore().send(DeskIntent.note("a"))
    },
    DeskCase("an effect that begins to last", #"+ Work(), id "letter" (begun, not expected)"#) {
      await writingDesk().send(DeskIntent.open) {
        $0.letter = .init(text: "Dear")
      }
    },
    DeskCase("an effect that does not begin to last", "The effects that begin to last are others") {
      await deskStore().send(DeskIntent.open, began: [writing]) { $0.letter = .init(text: "Dear") }
    },
    DeskCase("an effect that does not cease to last", "(expected, not ceased)") {
      await deskStore().send(DeskIntent.note("a"), ceased: [writing]) { $0.notes = ["a"] }
    },
    DeskCase("another policy", "others than expected") {
      await deskStore().send(DeskIntent.schedule(.latest), effects: scheduled(.leading))
    },
    DeskCase("an effect of what a middleware drops", "− Work() (expected, not emitted)") {
      await deskStore(middleware: [drops]).send(DeskIntent.work, effects: [Work()])
    },
    DeskCase("an intent that no reducer knows", "this store's takes only DeskIntent") {
      await deskStore().send(Foreign())
    },
    DeskCase("an effect's intent that no reducer knows", "takes only DeskIntent") {
      let test = deskStore { _, dispatch in dispatch(Foreign()) }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(any: Foreign.self)
    },
    elementWithoutReducer,
    DeskCase("an intent of another case", "the case after `case:`, but another intent came") {
      let test = await noting()
      await test.receive(case: DeskIntent.count) { state, _ in state.notes = ["a"] }
    },
    DeskCase("an intent of another type", "Expected to receive a Foreign, but another") {
      let test = await noting()
      await test.receive(any: Foreign.self) { state, _ in state.notes = ["a"] }
    },
    DeskCase("an intent that does not satisfy a condition", "that satisfies the condition, but") {
      let test = await noting()
      await test.receive(any: DeskIntent.self, where: \.isOpening) { state, _ in
        state.notes = ["a"]
      }
    },
    DeskCase("a state that is not asserted of what is received", #"notes[0]: added "a""#) {
      let test = await noting()
      await test.receive(case: DeskIntent.note)
    },
    DeskCase("another intent while time is given", "but another intent came") {
      let test = await noting()
      await test.receive(DeskIntent.open, within: .seconds(60))
    },
    DeskCase("an intent that does not come in time", "within 0.001 seconds of real time") {
      await deskStore().receive(DeskIntent.open, within: .milliseconds(1))
    },
    DeskCase("a handler elsewhere, without time", "needs real time: `receive(…, within:") {
      let (stream, continuation) = AsyncStream<Void>.makeStream()
      let test = deskStore { _, _ in await Task { for await _ in stream {} }.value }
      await test.send(DeskIntent.work, effects: [Work()])
      await test.receive(DeskIntent.open)
      continuation.finish()
    },
    DeskCase("a closure that throws", "The closure of changes threw an error: Lost()") {
      struct Lost: Error {}
      await deskStore().send(DeskIntent.open) { _ in throw Lost() }
    },
    DeskCase("a state that is not as asserted", #"notes[0]: added "a""#) {
      let test = deskStore()
      await test.send(DeskIntent.note("a")) { $0.notes = ["a"] }
      test.assert { $0.notes = [] }
    },
    DeskCase("a wrong value where not all is asserted", #"text: "Hi" → "Dear""#) {
      await deskStore(exhaustivity: .off).send(DeskIntent.open) { $0.letter?.text = "Hi" }
    },
    DeskCase("an effect that is not emitted where not all is asserted", "not emitted") {
      await deskStore(exhaustivity: .off).send(DeskIntent.open, effects: [Work()])
    },
    DeskCase("an intent that does not come where not all is asserted", "no intent came") {
      await deskStore(exhaustivity: .off).receive(DeskIntent.open)
    },
  ]

  /// A store to which an effect has sent a note.
  static func noting() async -> TestStore<Desk> {
    let test = deskStore { _, dispatch in dispatch(DeskIntent.note("a")) }
    await test.send(DeskIntent.work, effects: [Work()])
    return test
  }
}

extension [Desk] {
  var byNumber: [Int: Desk] {
    get { Dictionary(uniqueKeysWithValues: enumerated().map { ($0.offset, $0.element) }) }
    set { self = newValue.sorted { $0.key < $1.key }.map(\.value) }
  }
}
