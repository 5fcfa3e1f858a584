import Dispatch
import Foundation
import Glue
import GlueInspector
import GlueJournal
import Logging

/// What routes and services share.
struct Dependencies: Sendable {
  let store: Store<TodoList>
  let journal: Journal<TodoList>?
  let inspector: Inspector<TodoList>?
  let events = EventEncoder()

  /// Makes a store, which goes on where the journal ends.
  ///
  /// - Parameters:
  ///   - directory: the journal's; without one the list ends with the process.
  ///   - keepDone: how long a to-do that is done stays.
  ///   - isInspected: whether an inspector records what happens.
  ///   - logger: logs each commit.
  /// - Throws: what the journal says, if it cannot be opened.
  init(
    journal directory: String? = nil, keepingDone keepDone: Duration = .seconds(86_400),
    isInspected: Bool = false, logger: Logger
  ) throws {
    journal = try directory.map { try Journal(at: $0, todoFormat) }
    inspector = isInspected ? Inspector() : nil
    let monitors: [any Monitor<TodoList>] = [CommitObserver(logger: logger)]
    store = try Store(
      state: TodoList(), reducer: todoReducer, monitors: monitors + (inspector.map { [$0] } ?? []),
      lasting: expiries, delivery: .queue(DispatchQueue(label: "store")), journal: journal)
    store.on(Expiry.self) { expiry, dispatch in
      let age = Duration.seconds(-expiry.doneAt.timeIntervalSinceNow)
      try? await Task.sleep(for: keepDone - age)
      dispatch(TodoIntent.removeDone(by: expiry.doneAt))
    }
  }
}
