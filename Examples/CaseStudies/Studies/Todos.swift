// Todos: a list with a filter, undo, and saving that gathers the changes of a second.
//
// Only the list has a history, so an undo doesn't change the filter. Undoing has no effects, but
// the list must be saved all the same. So a timer lasts while the list differs from the saved one,
// however that came about, and asks for the list to be saved.

import Glue
import GlueConsole

struct Todo: Equatable, Sendable, Identifiable {
  let id: Int
  var title: String
  var isDone = false
}

enum TodoIntent: Intent { case toggle }

func todo(state: inout Todo, intent: TodoIntent) -> [any Effect] {
  switch intent {
  case .toggle: state.isDone.toggle()
  }
  return []
}

struct TodoList: Equatable, Sendable {
  var todos: [Todo] = []
  var lastID = 0
}

enum TodoListIntent: Intent { case add(String), clearDone }

func todoList(state: inout TodoList, intent: TodoListIntent) -> [any Effect] {
  switch intent {
  case .add(let title):
    state.lastID += 1
    state.todos.append(Todo(id: state.lastID, title: title))
  case .clearDone: state.todos.removeAll(where: \.isDone)
  }
  return []
}

struct Todos: Equatable, Sendable {
  enum Filter { case all, open, done }

  var list = History(TodoList())
  var saved = TodoList()
  var filter = Filter.all

  var shown: [Todo] {
    list.present.todos.filter { filter == .all || $0.isDone == (filter == .done) }
  }
}

enum TodosIntent: Intent, Equatable { case nextFilter, save, saved(TodoList) }

func todos(state: inout Todos, intent: TodosIntent) -> [any Effect] {
  switch intent {
  case .nextFilter:
    state.filter =
      switch state.filter {
      case .all: .open
      case .open: .done
      case .done: .all
      }
  case .save: return [SaveTodos(list: state.list.present).scheduled(.latest, id: "save")]
  case .saved(let list): state.saved = list
  }
  return []
}

let todosFeature: Reducer<Todos> = combineReducers {
  withKey(
    \.list,
    use: undoable(
      combineReducers {
        todoList
        forEach(\.todos, use: todo)
      }, limit: 100))
  todos
}

struct SaveTimer: Effect, Equatable {}
struct SaveTodos: Effect, Equatable { var list: TodoList }

func savingTodos(state: Todos) -> [LastingEffect] {
  state.list.present == state.saved ? [] : [SaveTimer().lasting(id: "save")]
}

struct SaveTimers: AsyncEffectHandler {
  let clock: any Clock<Duration>

  func handle(effect: SaveTimer, dispatch: @escaping DispatchFunc) async {
    while (try? await clock.sleep(for: .seconds(1))) != nil { dispatch(TodosIntent.save) }
  }
}

struct TodoSaving: AsyncEffectHandler {
  let write: @Sendable (TodoList) async -> Void

  func handle(effect: SaveTodos, dispatch: @escaping DispatchFunc) async {
    await write(effect.list)
    dispatch(TodosIntent.saved(effect.list))
  }
}

let todosStudy = Study(
  "todos", "a list with a filter, undo, and saving",
  keys: "a: add   1-9: toggle   c: clear   f: filter   u r: undo, redo",
  store: {
    Store(
      state: Todos(), reducer: todosFeature, lasting: savingTodos,
      handlers: { handlers in
        handlers.add(effectHandler: SaveTimers(clock: ContinuousClock()))
        handlers.add(effectHandler: TodoSaving { _ in })
      })
  },
  draw: { state in
    state.shown.map { "\($0.id) [\($0.isDone ? "x" : " ")] \($0.title)" }
      + ["\(state.filter), \(state.list.present == state.saved ? "saved" : "not saved")"]
  },
  press: { key, state in
    switch key {
    case .text("a"): TodoListIntent.add("Task \(state.list.present.lastID + 1)")
    case .text("c"): TodoListIntent.clearDone
    case .text("f"): TodosIntent.nextFilter
    case .text("u"): HistoryIntent.undo
    case .text("r"): HistoryIntent.redo
    case .text(let digit):
      state.shown.first { "\($0.id)" == digit }
        .map { ElementIntent(id: $0.id, intent: TodoIntent.toggle) }
    default: nil
    }
  })
