import Glue
import Logging

/// Logs each commit.
struct CommitLog: Monitor {
  let logger: Logger

  func observe(_ commit: Commit<TaskList>) {
    logger.info(
      "commit", metadata: ["number": "\(commit.number)", "intent": "\(commit.intent)"])
  }
}
