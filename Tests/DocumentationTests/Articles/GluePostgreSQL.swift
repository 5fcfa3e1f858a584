import Glue
import GlueCluster
import GlueJournal
import ProcessSupport
import Testing

// The program of the article, word for word but for its indentation; `ArticleTests` compares them.

/// Stands for the engine, which needs a server.
private struct PostgreSQL {
  private let memory = MemoryLog()

  init(_ address: String) throws {}

  func log(_ name: String) -> MemoryLog.Connection { memory.connection() }
}

@Suite("GluePostgreSQL", .jumpingTime)
struct GluePostgreSQLArticle {
  struct Counter: Codable, Sendable { var value = 0 }

  enum CounterIntent: Intent, Codable { case increment }

  @Test("the replica sends an intent, and reads its result")
  func aReplica() async throws {
    enum CommandLine { static let arguments = ["Shared", "a"] }
    var printed = ""
    func print(_ text: String) { printed = text }

    @Sendable func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
      state.value += 1
      return []
    }

    let format = JournalFormat(of: Counter.self, intents: [.named("counter", CounterIntent.self)])
    let database = try PostgreSQL("postgresql://user@host/database")
    let shared = SharedStore(
      state: Counter(), versions: [.version(1, reducer: counter)], format: format,
      replica: CommandLine.arguments[1], log: database.log("counter"))
    try await shared.send(CounterIntent.increment)
    print("Counter: \(shared.store.state.state.value)")
    await shared.close()
    #expect(printed == "Counter: 1")
  }
}
