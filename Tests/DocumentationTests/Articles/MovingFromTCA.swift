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

  enum NoteIntent: Intent, Equatable { case edit(String), close }

  func note(text: inout String, intent: NoteIntent) -> [any Effect] {
    switch intent {
    case .edit(let edited): text = edited
    case .close: break  // the parent's
    }
    return []
  }

  struct Screen: Sendable, Equatable, Identifiable {
    enum Content: Sendable, Equatable {
      case note(String), help

      var note: String? {
        get { if case .note(let note) = self { note } else { nil } }
        set { if let newValue { self = .note(newValue) } }
      }
    }

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

  @Test("a screen closes itself")
  func screens() async {
    let screens = [Screen(id: 1, content: .help), Screen(id: 2, content: .note("a"))]
    let test = TestStore(state: Notes(screens: screens), reducer: notes)
    await test.send(NoteIntent.edit("b"), in: 2) { $0.screens[1].content.note = "b" }
    await test.send(NoteIntent.close, in: 2, effects: [CancelEffects(part: 2)]) {
      $0.screens.removeLast()
    }
    await test.finish()
  }
}
