import Foundation
import Glue
import GlueJournal
import Hummingbird

/// The to-dos that the server keeps, in the order in which they were added.
struct TodoList: Codable, Sendable, Equatable {
  /// How many to-dos a list holds, which bounds the size of an event.
  static let limit = 500

  var todos: [Todo] = []

  subscript(id: String) -> Todo? { todos.first { $0.id == id } }
}

struct Todo: Codable, Sendable, Equatable, ResponseEncodable {
  let id: String
  var title: String

  /// When it was marked as done; nil if it is open.
  var doneAt: Date?
}

enum TodoIntent: Intent, Codable, Equatable {
  case add(id: String, title: String)

  /// Changes what is not nil.
  case edit(id: String, title: String?, isDone: Bool?, at: Date)
  case remove(id: String)

  /// Removes the to-dos that were done by then.
  case removeDone(by: Date)
}

@Sendable
func todoReducer(list: inout TodoList, intent: TodoIntent) -> [any Effect] {
  switch intent {
  case .add(let id, let title):
    if list.todos.count < TodoList.limit { list.todos.append(Todo(id: id, title: title)) }
  case .edit(let id, let title, let isDone, let now):
    guard let index = list.todos.firstIndex(where: { $0.id == id }) else { break }
    if let title { list.todos[index].title = title }
    if let isDone { list.todos[index].doneAt = isDone ? list.todos[index].doneAt ?? now : nil }
  case .remove(let id):
    list.todos.removeAll { $0.id == id }
  case .removeDone(let date):
    list.todos.removeAll { $0.doneAt.map { $0 <= date } ?? false }
  }
  return []
}

/// Waits until the to-dos that were done at a time are to be removed.
struct Expiry: Effect, Equatable {
  let doneAt: Date
}

/// The effects that last in a state: the next expiry, if a to-do is done.
@Sendable
func expiries(in list: TodoList) -> [LastingEffect] {
  list.todos.compactMap(\.doneAt).min().map { [Expiry(doneAt: $0).lasting(id: "expiry")] } ?? []
}

/// The names by which a journal knows the types.
let todoFormat = JournalFormat(of: TodoList.self, intents: [.named("todo", TodoIntent.self)])
