import Foundation
import Testing

@testable import ServerExample

/// Each test has a server of its own; they come one after the other, as each blocks its thread.
@Suite(.serialized) struct HTTPTests {
  @Test func thePageComesWithAPolicyThatLetsItRunItsOwnScriptAlone() throws {
    let server = try RunningServer()
    let page = try server.answer("/")
    let policy = try #require(page.headers["content-security-policy"])
    #expect(page.status == 200)
    #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
    #expect(!policy.contains("unsafe"))
    #expect(!page.body.contains(try Regex("<script>| on[a-z]+=|style=")))
    for path in ["/page.js", "/page.css", "/nothing", "/page"] {
      let answer = try server.answer(path, host: path == "/nothing" ? "localhost:80" : "127.0.0.1")
      #expect(answer.status == (path.contains(".") ? 200 : 404))
      #expect(answer.headers["content-security-policy"] == policy)
      #expect(answer.headers["x-content-type-options"] == "nosniff")
    }
    #expect(try server.answer("/inspector").status == 404)
  }

  @Test func aListenerIsToldOfTheListAsItIsAndOfEachChange() throws {
    let server = try RunningServer()
    let first = try server.wish(#"{"add": {"title": "one"}}"#)
    let listener = try server.listener()
    #expect(try listener.list { $0.tasks == [TaskItem(id: first, title: "one")] })
    let second = try server.wish(#"{"add": {"title": "two"}}"#)
    try server.wish(#"{"mark": {"id": "\#(second)", "isDone": true}}"#)
    try server.wish(#"{"rename": {"id": "\#(first)", "title": "1"}}"#)
    let both = [
      TaskItem(id: first, title: "1"), TaskItem(id: second, title: "two", isDone: true),
    ]
    #expect(try listener.list { $0.tasks == both })
    try server.wish(#"{"remove": {"id": "\#(first)"}}"#)
    #expect(try listener.list { $0.tasks == [both[1]] })
  }

  @Test func whatIsRefusedIsToldWhatWasExpected() throws {
    let server = try RunningServer("--name", "Tasks.example")
    let add = #"{"add": {"title": "one"}}"#
    let large = #"{"add": {"title": "\#(String(repeating: "a", count: 4096))"}}"#
    for (status, words, body, headers, host) in [
      (400, "add.title", #"{"add": {}}"#, [:], "localhost"),
      (404, "no such task", #"{"remove": {"id": "1"}}"#, [:], "localhost"),
      (413, "at most 4096 bytes", large, [:], "localhost"),
      (415, "Content-Type", add, ["Content-Type": "text/plain"], "localhost"),
      (403, "own page", add, ["Origin": "http://evil.example"], "localhost"),
      (403, "own page", add, ["Origin": "null"], "localhost"),
      (403, "own page", add, ["Origin": "http://localhost:81"], "localhost:80"),
      (403, "own page", add, ["Sec-Fetch-Site": "cross-site"], "localhost"),
      (403, "own page", add, ["Sec-Fetch-Site": "same-site"], "localhost"),
      (421, "tasks.example", add, [:], "evil.example"),
      (421, "tasks.example", add, [:], "localhost.evil.example"),
    ] as [(Int, String, String, [String: String], String)] {
      let answer = try server.answer("/intents", body: body, headers: headers, host: host)
      #expect(answer.status == status)
      #expect(answer.body.contains(words), "\(answer)")
    }
    #expect(try server.answer("/events", host: "evil.example").status == 421)
    #expect(try server.listener().list { $0.tasks == [] })
    let own = ["Origin": "https://tasks.example:444", "Sec-Fetch-Site": "same-origin"]
    let host = "tasks.example:444"
    #expect(try server.answer("/intents", body: add, headers: own, host: host).status == 201)
  }

  @Test func aClientThatLeavesIsNoticedAtOnceAndFurtherOnesWait() throws {
    let server = try RunningServer("--connections", "1")
    for _ in 1...3 {
      let listener = try server.listener()
      #expect(listener.event() != nil)
      // The next is let in when this one is gone, and nothing is written that would fail.
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

  @Test func theInspectorShowsWhatHappensIfItIsWanted() throws {
    let server = try RunningServer("--inspect")
    let page = try server.answer("/inspector")
    #expect(page.body.contains(#""live":"/inspector/events""#))
    #expect(page.headers["content-security-policy"] == "frame-ancestors 'none'")
    let client = try Client(server.port)
    client.request("/inspector/events")
    #expect(try client.head().status == 200)
    try server.wish(#"{"add": {"title": "one"}}"#)
    #expect(client.event()?.hasPrefix(#"data: {"number":1,"#) == true)
  }
}
