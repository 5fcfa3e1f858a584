import GlueInspector
import Hummingbird

/// Adds the page that shows what happens in the store, and its events.
func addInspector(_ inspector: Inspector<TodoList>, to router: Router<AppContext>) {
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
    eventStream(of: inspector.events, to: request) { ByteBuffer(string: "data: \($0)\n\n") }
  }
}
