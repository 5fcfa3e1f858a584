import Glue
import Logging
import Metrics

/// Logs and counts commits.
struct CommitObserver: Monitor {
  let logger: Logger
  private let commits = Counter(label: "todos.commits")

  init(logger: Logger) { self.logger = logger }

  func observe(_ commit: Commit<TodoList>) {
    commits.increment()
    logger.info(
      "commit", metadata: ["number": "\(commit.number)", "intent": "\(commit.intent)"])
  }
}
