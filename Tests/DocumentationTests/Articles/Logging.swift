import Glue
import GlueLogging
import Testing

// The code of the article, word for word but for its indentation; `ArticleTests` compares them.

@Suite("Logging and redacting")
struct Logging {
  private struct Counter: Sendable {
    var value = 0
    var name = "clicks"
  }
  private enum CounterIntent: Intent { case rename(String) }

  private func counter(state: inout Counter, intent: CounterIntent) -> [any Effect] {
    switch intent {
    case .rename(let name): state.name = name
    }
    return []
  }

  struct Password: Sendable, CustomStringConvertible {
    var text = ""
    var description: String { "a password" }
  }

  @Test("in a log")
  func logging() {
    let log = LogMonitor<Counter>(
      redact: [.path("session.token"), .type(Password.self), .value("hunter2")],
      describe: { value, path in path == "name" ? "a name" : nil })
    let logged = Store(state: Counter(), reducer: counter, monitors: [log])
    logged.dispatch(CounterIntent.rename("Ada's clicks"))

    #expect(logged.state.name == "Ada's clicks")
  }
}
