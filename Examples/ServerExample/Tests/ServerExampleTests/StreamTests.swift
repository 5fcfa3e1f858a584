import Foundation
import Testing

@testable import ServerExample

/// Tests that need a connection: streams of events, and clients that misbehave.
///
/// Each test has a server of its own. They run one after the other, because each blocks its thread.
@Suite(.serialized) struct StreamTests {
  @Test func aListenerIsToldOfTheListAsItIsAndOfEachChange() throws {
    let server = try RunningServer()
    let first = try server.add("one")
    let listener = try server.listener()
    #expect(try listener.list { $0.todos == [Todo(id: first, title: "one")] })
    let second = try server.add("two")
    try server.edit(second, #"{"isDone": true}"#)
    try server.edit(first, #"{"title": "1"}"#)
    #expect(
      try listener.list {
        $0.todos.map(\.title) == ["1", "two"] && $0.todos.map { $0.doneAt != nil } == [false, true]
      })
    #expect(try server.answer("/todos/\(first)", "DELETE").status == 204)
    #expect(try listener.list { $0.todos.map(\.id) == [second] })
  }

  @Test func aClientThatLeavesIsNoticedAtOnceAndFurtherOnesWait() throws {
    let server = try RunningServer("--connections", "1")
    for _ in 1...3 {
      let listener = try server.listener()
      #expect(listener.event() != nil)
      // The next client gets in when this one has left, and no write fails.
    }
    #expect(try server.answer("/").status == 200)
  }

  @Test func aClientThatReadsLateGetsTheNewestAndLittleThatIsOlder() async throws {
    let directory = try await journal(of: longList(400))
    let server = try RunningServer("--journal", directory.path, "--write-within", "1000")
    let listener = try server.listener(receiving: 4096)
    try server.rename(40)
    var count = 0
    let isLast = try listener.list {
      count += 1
      return $0["1"]?.title == "last"
    }
    #expect(isLast)
    #expect(count < 20, "\(count) events of 40 were kept for it")
  }

  @Test func aClientThatDoesNotReadIsClosed() async throws {
    let directory = try await journal(of: longList(400))
    let server = try RunningServer("--journal", directory.path, "--write-within", "0.5")
    let listener = try server.listener(receiving: 4096)
    try server.rename(10)
    #expect(server.logs("closing a client that does not read"))
    #expect(try !listener.list { $0["1"]?.title == "last" })
    #expect(try server.listener().list { $0["1"]?.title == "last" })
  }

  @Test func theInspectorShowsWhatHappens() throws {
    let server = try RunningServer("--inspect")
    let client = try Client(server.port)
    client.request("/inspector/events")
    #expect(try client.head().status == 200)
    try server.add("one")
    #expect(client.event()?.hasPrefix(#"data: {"number":1,"#) == true)
  }
}
