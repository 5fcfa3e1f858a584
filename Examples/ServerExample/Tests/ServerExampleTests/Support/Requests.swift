import Foundation
import HTTPTypes
import Hummingbird
import InMemoryTracing
import Metrics
import MetricsTestKit
import NIOCore
import NIOEmbedded
import Synchronization
import Tracing

@testable import ServerExample

/// The counters of this process.
let metrics = {
  let metrics = TestMetrics()
  MetricsSystem.bootstrap(metrics)
  return metrics
}()

/// The spans of this process.
let tracer = {
  let tracer = InMemoryTracer()
  InstrumentationSystem.bootstrap(tracer)
  return tracer
}()

/// Decodes the server's JSON.
func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  return try decoder.decode(type, from: json)
}

func titled(_ title: String) -> String { #"{"title": "\#(title)"}"# }

/// Sends requests to the routes, without a network.
struct RouterClient {
  let responder: RouterResponder<AppContext>
  var logger = silent

  func send(
    _ method: HTTPRequest.Method, _ path: String, _ json: String = "", host: String = "localhost",
    _ headers: HTTPFields = [:]
  ) async throws -> Answer {
    var headers = headers
    if !json.isEmpty, headers[.contentType] == nil { headers[.contentType] = "application/json" }
    let head = HTTPRequest(
      method: method, scheme: "http", authority: host, path: path, headerFields: headers)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: json)))
    let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: logger)
    let response = try await responder.respond(to: request, context: AppContext(source: source))
    let body = BodyCollector()
    try await response.body.write(body)
    return Answer(status: response.status, headers: response.headers, body: body.text)
  }

  func list() async throws -> [Todo] {
    try await send(.get, "/todos").decoded([Todo].self)
  }
}

struct Answer {
  let status: HTTPResponse.Status
  let headers: HTTPFields
  let body: String

  /// The message of a refusal.
  var message: String {
    struct Refusal: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    return (try? decoded(Refusal.self))?.error.message ?? ""
  }

  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decode(type, from: Data(body.utf8))
  }
}

private final class BodyCollector: ResponseBodyWriter {
  private let buffer = Mutex(ByteBuffer())

  var text: String { buffer.withLock { String(buffer: $0) } }

  func write(_ bytes: ByteBuffer) {
    _ = buffer.withLock { $0.writeImmutableBuffer(bytes) }
  }

  func finish(_ trailingHeaders: HTTPFields?) {}
}
