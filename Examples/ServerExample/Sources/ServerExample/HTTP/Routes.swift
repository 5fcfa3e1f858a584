import Foundation
import Glue
import GlueInspector
import GlueJournal
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle

/// What the routes need.
struct Parts: Sendable {
  let store: Store<TaskList>
  let journal: Journal<TaskList>?
  let events: Newest<ByteBuffer>
  var inspector: Inspector<TaskList>?
  var names: Set<String> = []
}

func makeRouter(_ parts: Parts) -> Router<BasicRequestContext> {
  let router = Router()
  router.add(middleware: Guard(names: parts.names))
  addPage(to: router)
  router.get("/events") { request, _ in eventStream(parts.events.values(), to: request) }
  router.post("/intents") { request, _ in try await answer(request, parts) }
  if let inspector = parts.inspector { add(inspector, to: router) }
  return router
}

/// Dispatches what is asked for, and says so when it is on the disk: what a client was told is not
/// lost.
private func answer(_ request: Request, _ parts: Parts) async throws -> Response {
  let type = request.headers[.contentType]?.prefix { $0 != ";" }
  guard type == "application/json" else {
    throw HTTPError(
      .unsupportedMediaType, message: "Expected the header Content-Type: application/json.")
  }
  let wish = try Wish(json: try await body(of: request))
  let id = UUID().uuidString.lowercased()
  let intent = try wish.intent(in: parts.store.state, newID: id)
  parts.store.dispatch(intent)
  let isAdded = parts.store.state[id] != nil
  try await parts.journal?.synced()
  guard case .add = intent else { return Response(status: .noContent) }
  if !isAdded { throw listIsFull }
  return Response(
    status: .created, headers: [.contentType: "application/json"],
    body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"id":"\#(id)"}"#)))
}

private func body(of request: Request) async throws -> Data {
  do {
    return Data(try await request.body.collect(upTo: 4096).readableBytesView)
  } catch is NIOTooManyBytesError {
    throw HTTPError(.contentTooLarge, message: "Expected at most 4096 bytes.")
  }
}

/// Writes events for as long as the client listens.
///
/// One that leaves is noticed at once; one that does not read is closed by its `Connection`.
private func eventStream(
  _ events: some AsyncSequence<ByteBuffer, Never> & Sendable, to request: Request
) -> Response {
  Response(
    status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
    body: ResponseBody { writer in
      try await request.body.consumeWithCancellationOnInboundClose { _ in
        for await event in events { try await writer.write(event) }
      }
      try await writer.finish(nil)
    })
}

private func addPage(to router: Router<BasicRequestContext>) {
  for (path, type, bytes) in [
    ("/", "text/html; charset=utf-8", PackageResources.page_html),
    ("/page.css", "text/css", PackageResources.page_css),
    ("/page.js", "text/javascript", PackageResources.page_js),
  ] {
    let body = ByteBuffer(bytes: bytes)
    router.get(RouterPath(path)) { _, _ in
      Response(
        status: .ok, headers: [.contentType: type, .cacheControl: "no-cache"],
        body: ResponseBody(byteBuffer: body))
    }
  }
}

private func add(_ inspector: Inspector<TaskList>, to router: Router<BasicRequestContext>) {
  let page = ByteBuffer(string: inspector.page(live: "/inspector/events"))
  router.get("/inspector") { _, _ in
    // The page has a policy of its own.
    Response(
      status: .ok,
      headers: [
        .contentType: "text/html; charset=utf-8",
        .contentSecurityPolicy: "frame-ancestors 'none'",
      ],
      body: ResponseBody(byteBuffer: page))
  }
  router.get("/inspector/events") { request, _ in
    let lines = inspector.events.cancelOnGracefulShutdown()
    return eventStream(lines.map { ByteBuffer(string: "data: \($0)\n\n") }, to: request)
  }
}
