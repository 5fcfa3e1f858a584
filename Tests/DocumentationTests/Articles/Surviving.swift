import Foundation
import Glue
import GlueJournal
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Surviving")
struct SurvivingArticle {
  struct Todos: Codable, Sendable, Equatable {
    var open: [String] = []
    var sent = 0
  }
  enum TodoIntent: Intent, Codable { case add(String), share, shared }
  enum MailEffect: Effect, Codable { case list([String]) }

  func todos(state: inout Todos, intent: TodoIntent) -> [Effect] {
    switch intent {
    case .add(let title): state.open.append(title)
    case .share: return [MailEffect.list(state.open)]
    case .shared: state.sent += 1
    }
    return []
  }

  let format = JournalFormat(
    of: Todos.self, intents: [.named("todo", TodoIntent.self)],
    effects: [.named("mail", MailEffect.self)])

  struct Tasks: Codable, Sendable {
    var titles: [String] = []
  }
  enum TaskIntent: Intent, Codable { case add(String) }
  struct OldTodo: Decodable { let add: String }

  let newFormat = JournalFormat(
    of: Tasks.self, version: 2,
    intents: [
      .named("task", TaskIntent.self),
      .formerly("todo", OldTodo.self) { TaskIntent.add($0.add) },
    ],
    migrate: [.from(1, Todos.self) { Tasks(titles: $0.open) }])

  private let directory = TemporaryDirectory()
  private var bug17File: String { directory.path + "/bug-17" }

  @Sendable func send(_ effect: MailEffect) async {}

  private func run(in directory: String) async throws -> Todos {
    let journal = try Journal(at: directory, format)
    let store = try Store(state: Todos(), reducer: todos, journal: journal)
    store.on(MailEffect.self) { (effect, dispatch) async in
      await send(effect)
      dispatch(TodoIntent.shared)
    }
    store.resume()
    store.dispatch(TodoIntent.add("write"))
    await store.shutdown()
    try journal.export(to: bug17File)
    return store.state
  }

  @Test func goesOn() async throws {
    #expect(try await run(in: directory.path + "/journal").open == ["write"])
    #expect(try await run(in: directory.path + "/journal").open == ["write", "write"])
    let migrated = try Store(
      state: Tasks(), reducer: { (_: inout Tasks, _: TaskIntent) in [] },
      journal: Journal(at: directory.path + "/journal", newFormat))
    #expect(migrated.state.titles == ["write", "write"])
    try bug17()
    try await fast(in: directory.path + "/fast")
  }

  private func fast(in directory: String) async throws {
    let fast = try Journal(at: directory, format, durability: .interval(.seconds(1)))
    let store = try Store(state: Todos(), reducer: todos, journal: fast)
    store.dispatch(TodoIntent.add("write"))
    try await fast.synced()
    try await fast.close()
  }

  func bug17() throws {
    let recording = try Recording(at: bug17File, format)
    #expect(try recording.verify(reducer: todos) == nil)
  }
}

/// A directory that is removed with this.
final class TemporaryDirectory: Sendable {
  let path = FileManager.default.temporaryDirectory.path + "/glue-\(UUID().uuidString)"

  init() {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
