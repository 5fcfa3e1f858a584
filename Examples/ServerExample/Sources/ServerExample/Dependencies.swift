import Dispatch
import Foundation
import Glue
import GlueInspector
import GlueJournal
import Logging
import Metrics

/// The values that routes and services share.
struct Dependencies: Sendable {
  let store: Store<TodoList>
  let journal: Journal<TodoList>?
  let inspector: Inspector<TodoList>?
  let events = EventEncoder()

  /// Makes a store, which continues where the journal ends.
  ///
  /// Without a directory for the journal, the list ends with the process. A to-do that is done stays
  /// for a time.
  init(
    journal directory: String? = nil, keepingDone keepDone: Duration = .seconds(86_400),
    isInspected: Bool = false, logger: Logger
  ) throws {
    journal = try directory.map { try Journal(at: $0, todoFormat) }
    inspector = isInspected ? Inspector() : nil
    let monitors: [any Monitor<TodoList>] = [CommitObserver(logger: logger)]
    store = try Store(
      state: TodoList(), reducer: todoReducer, monitors: monitors + (inspector.map { [$0] } ?? []),
      lasting: expiries, delivery: .queue(DispatchQueue(label: "store")), journal: journal,
      handlers: { handlers in
        handlers.on(Expiry.self) { expiry, dispatch in
          let age = Duration.seconds(-expiry.doneAt.timeIntervalSinceNow)
          try? await Task.sleep(for: keepDone - age)
          dispatch(TodoIntent.removeDone(by: expiry.doneAt))
        }
      })
  }
}

/// Logs and counts commits.
private struct CommitObserver: Monitor {
  let logger: Logger
  private let commits = Counter(label: "todos.commits")

  func observe(_ commit: Commit<TodoList>) {
    commits.increment()
    logger.info(
      "commit", metadata: ["number": "\(commit.number)", "intent": "\(commit.intent)"])
  }
}
