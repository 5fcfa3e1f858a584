import Foundation
import Glue
import GlueInspector
import GlueJournal
import Hummingbird
import Logging

struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: Source) { coreContext = .init(source: source) }

  /// In bytes.
  var maxUploadSize: Int { 4096 }
}

/// Makes the routes, for clients that name one of the hosts, which have no ports.
func buildRouter(_ dependencies: Dependencies, hosts: Set<String>) -> Router<AppContext> {
  let store = dependencies.store
  let router = Router(context: AppContext.self)
  router.add(middleware: TracingMiddleware())
  router.add(middleware: MetricsMiddleware())
  router.get("/health") { _, _ in
    // The store delivers and the disk writes, if this returns. A probe gives up by a time of its own.
    await store.delivered()
    try await dependencies.journal?.synced()
    return HTTPResponse.Status.ok
  }
  router.add(middleware: LogRequestsMiddleware(.info))
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: HostMiddleware(hosts: hosts))
  router.add(middleware: CSRFMiddleware())
  router.add(middleware: DescribedErrors())
  router.add(
    middleware: FileMiddleware(
      Bundle.module.bundlePath + "/Page", cacheControl: .init([(.init(type: .any), [.noCache])]),
      searchForIndexHtml: true))
  TodoController(dependencies: dependencies).addRoutes(to: router.group("/todos"))
  router.get("/events") { request, _ in
    eventStream(of: store.values(of: \.self), to: request, event: dependencies.events.event)
  }
  if let inspector = dependencies.inspector { addInspector(inspector, to: router) }
  return router
}

/// Adds the page that shows what happens in the store, with a policy of its own, and its events.
private func addInspector(_ inspector: Inspector<TodoList>, to router: Router<AppContext>) {
  let page = Response(
    status: .ok,
    headers: [
      .contentType: "text/html; charset=utf-8", .contentSecurityPolicy: "frame-ancestors 'none'",
    ],
    body: ResponseBody(byteBuffer: ByteBuffer(string: inspector.page(live: "/inspector/events"))))
  router.get("/inspector") { _, _ in page }
  router.get("/inspector/events") { request, _ in
    eventStream(of: inspector.events, to: request) { ByteBuffer(string: "data: \($0)\n\n") }
  }
}

/// Gives each error the JSON that the page shows, also the errors that Hummingbird throws.
private struct DescribedErrors: RouterMiddleware {
  func handle(
    _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
  ) async throws -> Response {
    do { return try await next(request, context) } catch let error as any HTTPResponseError {
      let known = error as? HTTPError
      if known?.body != nil { throw error }
      let message =
        switch error.status {
        case .contentTooLarge: "Expected a body of at most \(context.maxUploadSize) bytes."
        case .notFound: "There is nothing at this path."
        default: error.status.reasonPhrase
        }
      throw HTTPError(error.status, headers: known?.headers ?? [:], message: message)
    }
  }
}
