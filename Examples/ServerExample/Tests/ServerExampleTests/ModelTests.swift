import Foundation
import Glue
import GlueTesting
import Hummingbird
import Testing

@testable import ServerExample

@Suite struct ModelTests {
  private let reducer = taskReducer(keepingDone: .seconds(60))
  private let one = TaskList(tasks: [TaskItem(id: "1", title: "one")])
  private let removal = Send(TaskIntent.remove(id: "1")).scheduled(.delay(.seconds(60)), id: "1")

  @Test func tasksAreAddedAndRenamedAndRemoved() {
    expect(
      reducer, from: TaskList(), when: .add(id: "1", title: "a"), .rename(id: "1", title: "one")
    ) { $0 = one }
    expect(reducer, from: one, when: .remove(id: "1"), effects: [CancelEffects(id: "1")]) {
      $0 = TaskList()
    }
  }

  @Test func aTaskThatIsDoneIsToBeRemovedLaterUnlessItIsUndone() {
    expect(reducer, from: one, when: .mark(id: "1", isDone: true), effects: [removal]) {
      $0.tasks[0].isDone = true
    }
    expect(
      reducer, from: one, when: .mark(id: "1", isDone: true), .mark(id: "1", isDone: false),
      effects: [removal, CancelEffects(id: "1")])
  }

  @Test func whatIsKnownOrUnknownOrTooMuchChangesNothing() {
    expect(reducer, from: one, when: .add(id: "1", title: "again"))
    expect(
      reducer, from: one, when: .rename(id: "2", title: ""), .mark(id: "2", isDone: true),
      .mark(id: "1", isDone: false))
    let ids = (1...TaskList.limit).map(String.init)
    let full = TaskList(tasks: ids.map { TaskItem(id: $0, title: $0) })
    expect(reducer, from: full, when: .add(id: "a", title: "one more"))
    let wish = Wish.add(title: "one more")
    #expect { try wish.intent(in: full, newID: "a") } throws: { status(of: $0) == .conflict }
  }

  @Test(arguments: [
    (#"{"add": {"title": " a "}}"#, TaskIntent.add(id: "new", title: "a")),
    (
      #"{"rename": {"id": "1", "title": "\u202E</script>"}}"#,
      .rename(id: "1", title: "\u{202E}</script>")
    ),
    (#"{"mark": {"id": "1", "isDone": true}}"#, .mark(id: "1", isDone: true)),
    (#"{"remove": {"id": "1"}}"#, .remove(id: "1")),
  ])
  func aWishIsAnIntent(json: String, intent: TaskIntent) throws {
    #expect(try Wish(json: Data(json.utf8)).intent(in: one, newID: "new") == intent)
  }

  @Test(arguments: [
    ("", "It is not JSON. Expected one of {"), ("[1", "It is not JSON."),
    ("7", "It is not such an object."), (#"{"ad": {}}"#, "It is not such an object."),
    (#"{"add": {}}"#, #""add.title" is missing."#),
    (#"{"add": {"title": 3}}"#, #""add.title" is not a string."#),
    (#"{"mark": {"id": "1", "isDone": "yes"}}"#, #""mark.isDone" is not true or false."#),
    (#"{"add": {"title": " \t"}}"#, "The title has 0 characters. Expected 1 to 200"),
    (#"{"add": {"title": "a\nb"}}"#, "The title has control characters. Expected text of one"),
    (
      #"{"add": {"title": "\#(String(repeating: "e\u{301}", count: 101))"}}"#, "has 202 characters."
    ),
    (#"{"remove": {"id": "2"}}"#, "There is no such task: expected the id of one in the list."),
  ])
  func whatIsNoIntentIsToldWhatWasExpected(json: String, words: String) {
    #expect {
      try Wish(json: Data(json.utf8)).intent(in: one, newID: "new")
    } throws: { ($0 as? HTTPError)?.body?.contains(words) == true }
  }
}

private func status(of error: any Error) -> HTTPResponse.Status? { (error as? HTTPError)?.status }
