import Glue
import GlueJournal

/// What the server keeps: tasks, in the order in which they were added.
struct TaskList: Codable, Sendable, Equatable {
  /// How many tasks a list holds at most, so that an event has a greatest size.
  static let limit = 500

  var tasks: [TaskItem] = []

  subscript(id: String) -> TaskItem? { tasks.first { $0.id == id } }

  mutating func change(_ id: String, by body: (inout TaskItem) -> Void) {
    if let index = tasks.firstIndex(where: { $0.id == id }) { body(&tasks[index]) }
  }
}

struct TaskItem: Codable, Sendable, Equatable {
  let id: String
  var title: String
  var isDone = false
}

enum TaskIntent: Intent, Codable, Equatable {
  case add(id: String, title: String)
  case rename(id: String, title: String)
  case mark(id: String, isDone: Bool)
  case remove(id: String)
}

/// Makes the reducer of a list whose tasks leave it some time after they were done.
func taskReducer(
  keepingDone time: Duration
) -> @Sendable (inout TaskList, TaskIntent) -> [any Effect] {
  { list, intent in
    switch intent {
    case .add(let id, let title):
      if list.tasks.count < TaskList.limit, list[id] == nil {
        list.tasks.append(TaskItem(id: id, title: title))
      }
    case .rename(let id, let title):
      list.change(id) { $0.title = title }
    case .mark(let id, let isDone):
      guard let task = list[id], task.isDone != isDone else { return [] }
      list.change(id) { $0.isDone = isDone }
      let removal = Send(TaskIntent.remove(id: id)).scheduled(.delay(time), id: id)
      return isDone ? [removal] : [CancelEffects(id: id)]
    case .remove(let id):
      list.tasks.removeAll { $0.id == id }
      return [CancelEffects(id: id)]
    }
    return []
  }
}

/// The names by which a journal knows the types.
///
/// The removals that wait are in it too, so that they survive.
let taskFormat = JournalFormat(
  of: TaskList.self, intents: [.named("task", TaskIntent.self)], effects: [.sends("send")])
