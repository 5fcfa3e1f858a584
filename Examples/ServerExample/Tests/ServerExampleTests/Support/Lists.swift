import Foundation
import Glue
import GlueJournal
import Logging

@testable import ServerExample

let silent = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })

/// A list with a few hundred bytes for each to-do.
func longList(_ count: Int) -> TodoList {
  let title = String(repeating: "a", count: 200)
  return TodoList(todos: (1...count).map { Todo(id: "\($0)", title: title) })
}

/// Makes a journal that holds a list.
func journal(of list: TodoList) async throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  let journal = try Journal(at: directory.path, todoFormat)
  let store = try Store(state: list, reducer: todoReducer, journal: journal)
  await store.shutdown()
  try await journal.close()  // In time for the next owner, unlike the release of the store.
  return directory
}

extension RunningServer {
  /// Changes titles, one after the other; the last is "last".
  func rename(_ count: Int) throws {
    for number in 1...count {
      try edit("1", #"{"title": "\#(number == count ? "last" : "\(number)")"}"#)
    }
  }
}
