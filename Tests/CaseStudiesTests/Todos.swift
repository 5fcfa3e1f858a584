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

  private let timer = SaveTimer().lasting(id: "save")
  private let milk = TodoList(todos: [Todo(id: 1, title: "Milk")], lastID: 1)

  private func makeTest() -> TestStore<Todos> {
    let test = TestStore(state: Todos(), reducer: todosFeature, lasting: savingTodos)
    test.add(effectHandler: SaveTimers(clock: test.clock))
    test.add(effectHandler: TodoSaving { [file] in await file.write($0) })
    return test
  }

  @Test("are saved once for all changes of a second")
  func pause() async {
    let test = makeTest()
    await test.send(TodoListIntent.add("Milk"), began: [timer]) { [milk] in
      $0.list.step { $0 = milk }
    }
    await test.clock.advance(by: .milliseconds(900))
    await test.send(TodoIntent.toggle, in: 1) { $0.list.step { $0.todos[0].isDone = true } }
    #expect(await file.lists == [])
    await test.clock.advance(by: .milliseconds(100))
    var done = milk
    done.todos[0].isDone = true
    await test.receive(
      TodosIntent.save, effects: [SaveTodos(list: done).scheduled(.latest, id: "save")])
    await test.receive(TodosIntent.saved(done), ceased: [timer]) { [done] in $0.saved = done }
    #expect(await file.lists == [done])
    await test.finish()
  }

  @Test("need no saving after an undo to what is saved")
  func undo() async {
    let test = makeTest()
    await test.send(TodoListIntent.add("Milk"), began: [timer]) { [milk] in
      $0.list.step { $0 = milk }
    }
    await test.send(HistoryIntent.undo, ceased: [timer]) { $0.list.jump(by: -1) }
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
