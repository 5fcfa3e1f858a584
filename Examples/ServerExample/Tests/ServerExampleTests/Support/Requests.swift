import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Metrics
import MetricsTestKit
import NIOEmbedded

@testable import ServerExample

/// The counters of this process.
let metrics = {
  let metrics = TestMetrics()
  MetricsSystem.bootstrap(metrics)
  return metrics
}()

/// Decodes the server's JSON.
func decode<Value: Decodable>(_ type: Value.Type, from json: Data) throws -> Value {
  let decoder = JSONDecoder()
  decoder.dateDecodingStrategy = .iso8601
  return try decoder.decode(type, from: json)
}

func titled(_ title: String) -> String { #"{"title": "\#(title)"}"# }

extension TestClientProtocol {
  func send(
    _ method: HTTPRequest.Method, _ path: String, _ json: String = ""
  ) async throws -> TestResponse {
    try await executeRequest(
      uri: path, method: method, headers: [:], body: json.isEmpty ? nil : ByteBuffer(string: json))
  }

  func list() async throws -> [Todo] {
    try await send(.get, "/todos").decoded([Todo].self)
  }
}

extension TestResponse {
  /// The message of a refusal.
  var message: String {
    struct Refusal: Decodable {
      struct Reason: Decodable { let message: String }
      let error: Reason
    }
    return (try? decoded(Refusal.self))?.error.message ?? ""
  }

  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try decode(type, from: Data(body.readableBytesView))
  }
}

extension Router<AppContext> {
  /// Answers a request that names a host, which the test client cannot.
  func answer(
    _ method: HTTPRequest.Method, _ path: String, _ json: String, host: String,
    _ headers: HTTPFields
  ) async throws -> Response {
    let head = HTTPRequest(
      method: method, scheme: "http", authority: host, path: path, headerFields: headers)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(string: json)))
    let source = ApplicationRequestContextSource(channel: EmbeddedChannel(), logger: silent)
    return try await buildResponder().respond(to: request, context: AppContext(source: source))
  }
}
