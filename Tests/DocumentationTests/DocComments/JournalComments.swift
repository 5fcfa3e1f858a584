import Foundation
import Glue
import GlueJournal
import GlueLogging
import Testing

// The code of GlueJournal's documentation comments; `DocCommentTests` compares them.

@Suite("The documentation comments of the journal")
struct JournalComments {
  struct Todos: Codable, Sendable { var titles: [String] = [] }
  enum TodoIntent: Intent, Codable {
    case add(String)
    var withoutTexts: TodoIntent { .add("") }
  }
  enum MailEffect: Effect, Codable { case list }

  func todos(state: inout Todos, intent: any Intent) -> [any Effect] {
    if case TodoIntent.add(let title) = intent { state.titles.append(title) }
    return []
  }

  @Test func all() throws {
    let format = JournalFormat(
      of: Todos.self, intents: [.named("todo", TodoIntent.self)],
      effects: [.atLeastOnce("mail", MailEffect.self)])

    let path = FileManager.default.temporaryDirectory.path + "/glue-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try record(at: path, format)
    try begin(at: path + "-desk")
    try replay(at: path, format)
  }

  func record(at path: String, _ format: JournalFormat<Todos>) throws {
    let directory = path
    let journal = try Journal(at: directory, format)
    let store = try Store(state: Todos(), reducer: todos, journal: journal)

    store.dispatch(TodoIntent.add("secret"))
    try journal.export(
      to: "\(directory)/bug-17",
      redact: JournalRedaction(
        state: { $0.titles = $0.titles.map { _ in "" } },
        intent: { ($0 as? TodoIntent)?.withoutTexts ?? $0 }))
    let export = "\(directory)/bug-17"
    #expect(try Recording(at: export, format).verify(reducer: todos) == nil)
    #expect(try !String(contentsOfFile: export, encoding: .utf8).contains("secret"))
  }

  struct Desk: Codable, Sendable { var hasBegun = false }
  enum DeskIntent: Intent, Codable { case began }

  final class Mailer: EffectHandler {
    func handle(effect: MailEffect, dispatch: @escaping DispatchFunc) {}
  }

  func begin(at path: String) throws {
    defer { try? FileManager.default.removeItem(atPath: path) }
    let format = JournalFormat(of: Desk.self, intents: [.named("desk", DeskIntent.self)])
    let journal = try Journal(at: path, format)
    @Sendable func desk(state: inout Desk, intent: DeskIntent) -> [any Effect] {
      state.hasBegun = true
      return []
    }

    let store = try Store(
      state: Desk(), reducer: desk, journal: journal,
      first: [DeskIntent.began],
      handlers: { handlers in
        handlers.add(effectHandler: Mailer())
      })

    #expect(store.state.hasBegun)
  }

  func replay(at directory: String, _ format: JournalFormat<Todos>) throws {
    let recording = try Recording(at: directory, format)
    for step in try recording.steps(reducer: todos) {
      print(step.commit.number, step.commit.intent)
    }
    #expect(try recording.verify(reducer: todos) == nil)

    #expect(try Recording(at: directory, format).verify(reducer: todos) == nil)
  }
}
