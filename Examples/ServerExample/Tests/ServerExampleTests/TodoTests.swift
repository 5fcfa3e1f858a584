import Foundation
import Glue
import GlueTesting
import Testing

@testable import ServerExample

@Suite struct TodoTests {
  private let open = TodoList(todos: [Todo(id: "1", title: "one")])
  private let now = Date(timeIntervalSinceReferenceDate: 0)

  private func done(_ id: String, at seconds: Double) -> Todo {
    Todo(id: id, title: id, doneAt: now + seconds)
  }

  @Test func toDosAreAddedEditedAndRemoved() {
    expect(todoReducer, from: TodoList(), when: .add(id: "1", title: "one")) { $0 = open }
    expect(todoReducer, from: open, when: .edit(id: "1", title: "a", isDone: true, at: now)) {
      $0.todos = [Todo(id: "1", title: "a", doneAt: now)]
    }
    expect(todoReducer, from: open, when: .remove(id: "1")) { $0.todos = [] }
  }

  @Test func oneThatIsMarkedAgainKeepsItsTimeAndOneThatIsOpenHasNone() {
    expect(
      todoReducer, from: TodoList(todos: [done("1", at: 0)]),
      when: .edit(id: "1", title: nil, isDone: true, at: now + 9))
    expect(
      todoReducer, from: TodoList(todos: [done("1", at: 0)]),
      when: .edit(id: "1", title: nil, isDone: false, at: now + 9)
    ) { $0.todos[0].doneAt = nil }
  }

  @Test func whatIsUnknownOrTooMuchChangesNothing() {
    let full = longList(TodoList.limit)
    expect(todoReducer, from: open, when: .edit(id: "2", title: "b", isDone: nil, at: now))
    expect(todoReducer, from: full, when: .add(id: "a", title: "one more"))
  }

  @Test func theOldestThatIsDoneDecidesWhatExpiresNext() {
    let list = TodoList(todos: [
      done("1", at: 2), Todo(id: "2", title: "2"), done("3", at: 1), done("4", at: 3),
    ])
    #expect(expiries(in: list) == [Expiry(doneAt: now + 1).lasting(id: "expiry")])
    #expect(expiries(in: open) == [])
    expect(todoReducer, from: list, when: .removeDone(by: now + 2)) {
      $0.todos = [$0.todos[1], $0.todos[3]]
    }
  }
}
