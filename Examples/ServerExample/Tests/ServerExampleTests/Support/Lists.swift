import Glue
import GlueJournal

@testable import ServerExample

/// A list of some hundred bytes a task.
func longList(_ count: Int) -> TaskList {
  let title = String(repeating: "a", count: 200)
  return TaskList(tasks: (1...count).map { TaskItem(id: "\($0)", title: title) })
}

/// Makes a journal that holds a list.
func journal(of list: TaskList) async throws -> TemporaryDirectory {
  let directory = try TemporaryDirectory()
  let journal = try Journal(at: directory.path, taskFormat)
  let store = try Store(
    state: list, reducer: taskReducer(keepingDone: .seconds(60)), journal: journal)
  await store.shutdown()
  return directory
}

extension RunningServer {
  /// Changes titles, one after the other; the last is "last".
  func rename(_ count: Int) throws {
    for number in 1...count {
      let title = number == count ? "last" : "\(number)"
      try wish(#"{"rename": {"id": "1", "title": "\#(title)"}}"#)
    }
  }
}
