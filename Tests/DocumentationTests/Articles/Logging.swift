import Glue
import GlueLogging
import Synchronization
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Logging and redacting")
struct Logging {
  private struct Counter: Sendable {
    var value = 0
    var name = "clicks"
  }
  private enum CounterIntent: Intent { case add(Int), rename(String) }

  private func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    switch intent {
    case .add(let count): state.value += count
    case .rename(let name): state.name = name
    }
    return []
  }

  private final class Lines: Sendable {
    private let entries = Mutex<[String]>([])
    func append(_ entry: String) { entries.withLock { $0.append(entry) } }
    var text: String { entries.withLock { $0.joined(separator: "\n") } }
  }

  @Test("the log of the article")
  func entries() throws {
    let lines = Lines()

    let store = Store(
      state: Counter(), reducer: counter, monitors: [LogMonitor { entry in lines.append(entry) }])
    store.dispatch(CounterIntent.add(5))
    store.dispatch(CounterIntent.rename("taps"))

    let article = try text("Sources/GlueLogging/GlueLogging.docc/Logging.md")
    #expect(article.contains("```text\n\(lines.text)\n```"))
  }

  struct Password: Sendable, CustomStringConvertible {
    var text = ""
    var description: String { "a password" }
  }

  private struct Vault { var secrets = ["swordfish"] }

  @Test("secrets")
  func redacting() {
    let vault = Vault()

    let log = LogMonitor<Counter>(
      redact: [
        .path("session.token"), .type(Password.self), .value(4711), .containing("hunter2"),
        .current { vault.secrets.map(Redaction.containing) },
      ],
      describe: { value, path in path == "name" ? "a name" : nil })
    let logged = Store(state: Counter(), reducer: counter, monitors: [log])
    logged.dispatch(CounterIntent.rename("Ada's clicks"))

    #expect(logged.state.name == "Ada's clicks")
  }
}
