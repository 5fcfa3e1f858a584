import Glue
import GlueTesting
import Testing

@testable import CaseStudies

private actor File {
  private(set) var lists: [TodoList] = []

  func write(_ list: TodoList) { lists.append(list) }
}

@Suite("The todos")
struct TodosTests {
  private let file = File()

  private func makeTest(_ todos: Todos = Todos()) -> TestStore<Todos> {
    let test = TestStore(state: todos, reducer: todosFeature, lasting: savingTodos)
    test.add(effectHandler: TodoSaving(clock: test.clock) { [file] in await file.write($0) })
    return test
  }

  private func saving(_ todos: Todo...) -> LastingEffect {
    SaveTodos(list: TodoList(todos: todos, lastID: todos.count)).lasting(id: "save")
  }

  @Test("are saved once, a second after the last change")
  func pause() async {
    let test = makeTest()
    let milk = Todo(id: 1, title: "Milk")
    var done = milk
    done.isDone = true
    await test.send(TodoListIntent.add("Milk"), began: [saving(milk)]) {
      $0.list.step {
        $0.lastID = 1
        $0.todos = [milk]
      }
    }
    await test.clock.advance(by: .milliseconds(900))
    await test.send(TodoIntent.toggle, in: 1, began: [saving(done)], ceased: [saving(milk)]) {
      $0.list.step { $0.todos = [done] }
    }
    await test.clock.advance(by: .milliseconds(900))
    #expect(await file.lists == [])
    await test.clock.advance(by: .milliseconds(100))
    let saved = TodoList(todos: [done], lastID: 1)
    await test.receive(TodosIntent.saved(saved), ceased: [saving(done)]) { $0.saved = saved }
    #expect(await file.lists == [saved])
    await test.finish()
  }

  @Test("need no saving after an undo to what is saved")
  func undo() async {
    let test = makeTest()
    await test.send(TodoListIntent.add("Milk"), began: [saving(Todo(id: 1, title: "Milk"))]) {
      $0.list.step { $0 = TodoList(todos: [Todo(id: 1, title: "Milk")], lastID: 1) }
    }
    await test.send(HistoryIntent.undo, ceased: [saving(Todo(id: 1, title: "Milk"))]) {
      $0.list.jump(by: -1)
    }
    await test.clock.advance(by: .seconds(1))
    #expect(await file.lists == [])
    await test.finish()
  }

  @Test("are filtered, which no undo changes")
  func filter() {
    let list = TodoList(
      todos: [Todo(id: 1, title: "Milk"), Todo(id: 2, title: "Tea", isDone: true)], lastID: 2)
    var state = Todos(list: History(list))
    #expect(state.shown.map(\.id) == [1, 2])
    #expect(todosFeature(&state, TodosIntent.nextFilter).isEmpty)
    #expect(state.shown.map(\.id) == [1])
    _ = todosFeature(&state, TodoListIntent.clearDone)
    _ = todosFeature(&state, HistoryIntent.undo)
    _ = todosFeature(&state, TodosIntent.nextFilter)
    #expect(state.shown.map(\.id) == [2])
    _ = todosFeature(&state, TodosIntent.nextFilter)
    #expect(state.filter == .all)
  }
}
