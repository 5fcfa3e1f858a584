import ArgumentParser
import Foundation
import Glue
import HTTPTypes
import Hummingbird
import InMemoryLogging
import InMemoryTracing
import Logging
import MetricsTestKit
import Testing
import Tracing

@testable import ServerExample

/// The routes, without a network.
@Suite struct HTTPTests {
  private func test(
    _ list: TodoList? = nil, hosts: Set<String> = ["localhost"], isInspected: Bool = false,
    body: (RouterClient) async throws -> Void
  ) async throws {
    _ = metrics
    let directory = if let list { try await journal(of: list) } else { nil as TemporaryDirectory? }
    let dependencies = try Dependencies(
      journal: directory?.path, isInspected: isInspected, logger: silent)
    let router = buildRouter(dependencies, hosts: hosts)
    try await body(RouterClient(responder: router.buildResponder()))
    await dependencies.store.shutdown()
  }

  @Test func aToDoIsAddedReadChangedAndRemoved() async throws {
    try await test { client in
      let answer = try await client.send(.post, "/todos", #"{"title": " milk "}"#)
      #expect(answer.status == .created)
      let todo = try answer.decoded(Todo.self)
      #expect(todo.title == "milk")
      #expect(try await client.list() == [todo])
      let done = try await client.send(.patch, "/todos/\(todo.id)", #"{"isDone": true}"#)
      #expect(try done.decoded(Todo.self).doneAt != nil)
      let renamed = try await client.send(.patch, "/todos/\(todo.id)", #"{"title": "tea"}"#)
      #expect(try await client.list().map(\.title) == ["tea"])
      #expect(renamed.status == .ok)
      #expect(try await client.send(.delete, "/todos/\(todo.id)").status == .noContent)
      #expect(try await client.list() == [])
    }
  }

  @Test(arguments: [
    (400, "title", HTTPRequest.Method.post, "/todos", #"{"isDone": true}"#),
    (400, "Expected \"title\", \"isDone\" or both.", .post, "/todos", #"{"tilte": "one"}"#),
    (400, "Type mismatch for `title` key", .post, "/todos", #"{"title": 3}"#),
    (400, "not valid", .post, "/todos", "{"),
    (400, "The title has 0 characters. Expected 1 to 200.", .post, "/todos", #"{"title": " "}"#),
    (400, "has 202 characters", .post, "/todos", titled(String(repeating: "e\u{301}", count: 101))),
    (400, "Expected one line of text.", .post, "/todos", #"{"title": "a\nb"}"#),
    (
      413, "Expected a body of at most 4096 bytes.", .post, "/todos",
      titled(String(repeating: "a", count: 4096))
    ),
    (404, "There is no such to-do.", .patch, "/todos/1", #"{"isDone": true}"#),
    (404, "There is no such to-do.", .delete, "/todos/1", ""),
    (404, "There is nothing at this path.", .get, "/nothing", ""),
  ])
  func aRequestThatIsRefusedIsToldWhatWasExpected(
    status: Int, words: String, method: HTTPRequest.Method, path: String, json: String
  ) async throws {
    try await test { client in
      let answer = try await client.send(method, path, json)
      #expect(answer.status.code == status)
      #expect(answer.message.contains(words), "\(answer.message)")
      #expect(answer.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
    }
  }

  @Test func aBodyMustBeJSONAndAHostOne() async throws {
    try await test { client in
      for type in ["text/plain", "application/x-www-form-urlencoded", ""] {
        let answer = try await client.send(
          .post, "/todos", titled("one"), [.contentType: type])
        #expect(answer.status == .unsupportedMediaType)
        #expect(answer.message == "Expected a body of application/json.")
      }
      let second: HTTPFields = [HTTPField.Name("Host")!: "evil.example"]
      let answer = try await client.send(.post, "/todos", titled("one"), second)
      #expect(answer.status == .badRequest)
      #expect(answer.message == "Expected one Host header.")
      #expect(try await client.list() == [])
    }
  }

  @Test func aRequestHasAnIDInTheLogAndASpanWithItsCommit() async throws {
    let handler = InMemoryLogHandler()
    try await test { client in
      var client = client
      client.logger = Logger(label: "a") { _ in handler }
      client.logger[metadataKey: "hb.request.id"] = "7"
      _ = tracer
      _ = try await client.send(.post, "/todos", titled("traced"))
    }
    let logged = handler.entries.first { "\($0.message)" == "Request" }
    #expect(logged?.metadata["hb.request.id"] == "7")
    let spans = tracer.finishedSpans
    let commits = Set(spans.filter { $0.operationName == "commit" }.compactMap(\.parentSpanID))
    #expect(spans.contains { $0.operationName == "/todos" && commits.contains($0.spanID) })
  }

  @Test func aListThatIsFullTakesNoMore() async throws {
    try await test(longList(TodoList.limit)) { client in
      let answer = try await client.send(.post, "/todos", titled("more"))
      #expect(answer.status == .conflict)
    }
  }

  @Test(
    arguments: [
      ("localhost", "http://evil.example", nil, 403), ("localhost", "null", nil, 403),
      ("localhost:80", "http://localhost:81", nil, 403), ("localhost", nil, "cross-site", 403),
      ("localhost", nil, "same-site", 403), ("evil.example", nil, nil, 421),
      ("localhost.evil.example", nil, nil, 421), ("[::1]:8080", "http://[::1]:8080", nil, 201),
      ("tasks.example:444", "https://tasks.example:444", "same-origin", 201),
    ] as [(String, String?, String?, Int)])
  func aChangeMustNameThisServerAndComeFromItsPage(
    host: String, origin: String?, site: String?, status: Int
  ) async throws {
    var headers: HTTPFields = [:]
    headers[.origin] = origin
    headers[HTTPField.Name("Sec-Fetch-Site")!] = site
    try await test(hosts: ["localhost", "[::1]", "tasks.example"]) { [headers] client in
      let answer = try await client.send(.post, "/todos", titled("one"), host: host, headers)
      #expect(answer.status.code == status)
      if status == 421 {
        #expect(try await client.send(.get, "/events", host: host).status.code == 421)
        #expect(try await client.send(.get, "/health", host: host).status == .ok)
      }
    }
  }

  @Test func thePageComesWithAPolicyThatLetsItRunItsOwnScriptAlone() async throws {
    try await test { client in
      for path in ["/", "/page.js", "/page.css"] {
        let answer = try await client.send(.get, path)
        let policy = try #require(answer.headers[.contentSecurityPolicy])
        #expect(answer.status == .ok)
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
        #expect(!policy.contains("unsafe"))
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
        #expect(!answer.body.contains(try Regex("<script>| on[a-z]+=|style=")))
      }
    }
  }

  @Test func theInspectorIsThereIfItIsWanted() async throws {
    try await test { client in
      let page = try await client.send(.get, "/inspector")
      #expect(page.status == .notFound)
    }
    try await test(isInspected: true) { client in
      let page = try await client.send(.get, "/inspector")
      #expect(page.body.contains(#""live":"/inspector/events""#))
      #expect(page.headers[.contentSecurityPolicy] == "frame-ancestors 'none'")
    }
  }

  @Test func requestsAndCommitsAreCounted() async throws {
    try await test { client in
      let before = metrics.counterTotal(label: "todos.commits")
      _ = try await client.send(.post, "/todos", titled("one"))
      #expect(try await client.send(.get, "/health").status == .ok)
      #expect(metrics.counterTotal(label: "todos.commits") > before)
      #expect(!metrics.counters(label: "hb.requests").isEmpty)
    }
  }
}
