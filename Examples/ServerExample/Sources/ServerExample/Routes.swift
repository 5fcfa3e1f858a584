import Glue
import GlueJournal
import Hummingbird

struct AppContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: Source) { coreContext = .init(source: source) }

  /// In bytes.
  var maxUploadSize: Int { 4096 }
}

/// Makes the routes.
///
/// - Parameters:
///   - dependencies: what they use.
///   - hosts: the names by which clients may reach the server, without ports.
/// - Returns: the router.
func buildRouter(_ dependencies: Dependencies, hosts: Set<String>) -> Router<AppContext> {
  let router = Router(context: AppContext.self)
  router.add(middleware: MetricsMiddleware())
  router.get("/health") { _, _ in try await health(of: dependencies) }
  router.add(middleware: SecurityHeadersMiddleware())
  router.add(middleware: HostMiddleware(hosts: hosts))
  router.add(middleware: CSRFMiddleware())
  TodoController(dependencies: dependencies).addRoutes(to: router.group("/todos"))
  router.get("/events") { request, _ in
    eventStream(of: dependencies.store.values(), to: request, event: dependencies.events.event)
  }
  addPage(to: router)
  if let inspector = dependencies.inspector { addInspector(inspector, to: router) }
  return router
}

/// Answers when the store delivers and the disk writes; a probe gives up by a time of its own.
private func health(of dependencies: Dependencies) async throws -> HTTPResponse.Status {
  await dependencies.store.delivered()
  try await dependencies.journal?.synced()
  return .ok
}

private func addPage(to router: Router<AppContext>) {
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
