import Glue

/// A state of parts: a counter, and elements that have a part of their own.
struct House: Sendable {
  var counter = Counter()
  var todos = ["a": Todo(title: "first"), "b": Todo(title: "second")]
}

struct Todo: Sendable, Equatable {
  var title: String
  var isDone = false
}

enum TodoIntent: Intent, Equatable {
  case toggle
  case title(TitleIntent)
}

enum TitleIntent: Intent, Equatable {
  case set(String)
}

let house: Reducer<House> = combineReducers {
  withKey(\.counter, use: counter)
  forEach(\.todos) { (todo: inout Todo, intent: TodoIntent) -> [any Effect] in
    switch intent {
    case .toggle: todo.isDone.toggle()
    case .title(.set(let title)): todo.title = title
    }
    return []
  }
}
