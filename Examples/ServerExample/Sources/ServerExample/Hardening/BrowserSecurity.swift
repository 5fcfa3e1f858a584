import HTTPTypes
import Hummingbird

/// Refuses requests that change something and come from another site's page.
struct CSRFMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    if request.method == .get || request.method == .head { return try await next(request, context) }
    let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] ?? "same-origin"
    let origin = request.headers[.origin]?.split(separator: "://", maxSplits: 1).last
    let own = request.head.authority?.lowercased()
    guard site == "same-origin", origin == nil || origin?.lowercased() == own else {
      throw HTTPError(
        .forbidden, message: "Expected a request of this server's own page, or of no page.")
    }
    return try await next(request, context)
  }
}

/// Refuses requests that name another host.
///
/// Otherwise a page of another site whose name leads here could read everything (DNS rebinding).
struct HostMiddleware<Context: RequestContext>: RouterMiddleware {
  let hosts: Set<String>

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    // The first Host header is the authority; a proxy may have looked at another one.
    if request.headers[HTTPField.Name("Host")!] != nil {
      throw HTTPError(.badRequest, message: "Expected one Host header.")
    }
    if hosts.contains(host(in: request.head.authority ?? "")) {
      return try await next(request, context)
    }
    throw HTTPError(
      .misdirectedRequest,
      message: "Expected one of these as the host: \(hosts.sorted().joined(separator: ", ")).")
  }
}

/// A host's name without its port, which follows the last colon that is in no brackets.
private func host(in authority: String) -> String {
  let end = authority.lastIndex(of: "]") ?? authority.startIndex
  let colon = authority[end...].firstIndex(of: ":") ?? authority.endIndex
  return authority[..<colon].lowercased()
}

/// Adds the headers that limit what pages may do, to answers and to errors.
struct SecurityHeadersMiddleware<Context: RequestContext>: RouterMiddleware {
  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      response = try await next(request, context)
    } catch let error as any HTTPResponseError {
      response = try error.response(from: request, context: context)
    }
    for header in headers where response.headers[header.name] == nil {
      response.headers.append(header)
    }
    return response
  }
}

private let headers: HTTPFields = [
  .contentSecurityPolicy: """
  default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
  form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'
  """,
  .xContentTypeOptions: "nosniff",
  HTTPField.Name("Cross-Origin-Opener-Policy")!: "same-origin",
  HTTPField.Name("Cross-Origin-Resource-Policy")!: "same-origin",
  HTTPField.Name("Referrer-Policy")!: "no-referrer",
]
