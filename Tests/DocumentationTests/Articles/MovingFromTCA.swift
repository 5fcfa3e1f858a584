import Glue
import GlueTesting
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Moving from the Composable Architecture")
struct MovingFromTCA {
  struct Fact: Sendable, Equatable {
    var number = 0
    var text: String?
  }
  enum FactIntent: Intent { case step(by: Int), ask, answered(String) }
  enum FactEffect: Effect, Equatable { case look(up: Int) }

  func fact(state: inout Fact, intent: FactIntent) -> [any Effect] {
    switch intent {
    case .step(let count):
      state.number += count
      state.text = nil
      return [CancelEffects(id: "fact")]
    case .ask:
      return [FactEffect.look(up: state.number).scheduled(.latest, id: "fact")]
    case .answered(let text):
      state.text = text
      return []
    }
  }

  struct Facts: AsyncEffectHandler {
    let fact: @Sendable (Int) async -> String

    func handle(effect: FactEffect, dispatch: @escaping DispatchFunc) async {
      switch effect {
      case .look(let number): dispatch(FactIntent.answered(await fact(number)))
      }
    }
  }

  @Test func asking() async {
    let test = TestStore(state: Fact(), reducer: fact)
    test.add(effectHandler: Facts { "\($0) is a number." })

    await test.send(FactIntent.step(by: 3), effects: [CancelEffects(id: "fact")]) {
      $0.number = 3
    }
    await test.send(
      FactIntent.ask, effects: [FactEffect.look(up: 3).scheduled(.latest, id: "fact")])
    await test.receive(FactIntent.answered("3 is a number.")) { $0.text = "3 is a number." }
    await test.finish()
  }

  struct Row: Sendable, Equatable, Identifiable {
    let id: Int
    var isRunning = false
    var seconds = 0
  }
  enum RowIntent: Intent { case toggle, tick }
  struct Ticking: Effect, Equatable {}

  func row(state: inout Row, intent: RowIntent) -> [any Effect] {
    switch intent {
    case .toggle: state.isRunning.toggle()
    case .tick: state.seconds += 1
    }
    return []
  }

  func ticking(row: Row) -> [LastingEffect] {
    row.isRunning ? [Ticking().lasting(id: "ticking")] : []
  }

  struct Rows: Sendable { var rows = [Row(id: 1), Row(id: 2)] }

  @Test("each row's timer lasts while the row says so")
  func timers() async {
    let clock = TestClock()

    let store = Store(
      state: Rows(), reducer: forEach(\.rows, use: row),
      lasting: { lastingEach($0.rows, ticking) }, clock: clock,
      handlers: { handlers in
        handlers.on(Ticking.self) { _, dispatch async in
          while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(RowIntent.tick) }
        }
      })

    store.dispatch(ElementIntent(id: 2, intent: RowIntent.toggle))
    await clock.advance(by: .seconds(3))
    #expect(store.state.rows.map(\.seconds) == [0, 3])
    store.dispatch(ElementIntent(id: 2, intent: RowIntent.toggle))
    await clock.advance(by: .seconds(3))
    #expect(store.state.rows.map(\.seconds) == [0, 3])
  }

  struct Note: Sendable, Equatable {
    var text = ""
    var isSaving = false
  }
  enum NoteIntent: Intent, Equatable { case save, saved, close }
  struct Save: Effect, Equatable { var text: String }

  func note(state: inout Note, intent: NoteIntent) -> [any Effect] {
    switch intent {
    case .save:
      state.isSaving = true
      return [Save(text: state.text).scheduled(.latest, id: "save")]
    case .saved: state.isSaving = false
    case .close: break  // the parent's
    }
    return []
  }

  enum Content: Sendable, Equatable {
    case note(Note), help

    var note: Note? {
      get { if case .note(let note) = self { note } else { nil } }
      set { if let newValue { self = .note(newValue) } }
    }
  }

  struct Screen: Sendable, Equatable, Identifiable {
    let id: Int
    var content: Content
  }

  struct Notes: Sendable, Equatable { var screens: [Screen] = [] }

  func closing(state: inout Notes, intent element: ElementIntent<Screen.ID>) -> [any Effect] {
    guard element.intent(as: NoteIntent.self) == .close else { return [] }
    state.screens.removeAll { $0.id == element.id }
    return [CancelEffects(part: element.id)]
  }

  var notes: Reducer<Notes> {
    let notes: Reducer<Notes> = combineReducers {
      forEach(\.screens, use: withKey(\.content.note, use: note))
      closing
    }
    return notes
  }

  @Test func closingWhileSaving() async {
    let screen = Screen(id: 1, content: .note(Note(text: "a")))
    let test = TestStore(state: Notes(screens: [screen]), reducer: notes)

    await test.send(
      NoteIntent.save, in: 1,
      effects: [Save(text: "a").scheduled(.latest, id: "save").inside(1)]
    ) { $0.screens[0].content.note?.isSaving = true }
    await test.send(NoteIntent.close, in: 1, effects: [CancelEffects(part: 1)]) { $0.screens = [] }
    await test.finish()
  }
}
