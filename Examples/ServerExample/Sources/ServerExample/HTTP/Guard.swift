import HTTPTypes
import Hummingbird

/// Keeps other sites out, and tells browsers what pages may do.
///
/// A request must name this server as its host, or else a page of another site whose name leads here
/// could read. One that changes something must not come from another site's page.
struct Guard: RouterMiddleware {
  typealias Context = BasicRequestContext

  /// The names by which the server may be reached, without ports.
  let names: Set<String>

  func handle(
    _ request: Request, context: Context, next: (Request, Context) async throws -> Response
  ) async throws -> Response {
    var response: Response
    do {
      try check(request)
      response = try await next(request, context)
    } catch let error as any HTTPResponseError {
      response = try error.response(from: request, context: context)
    }
    for header in headers where response.headers[header.name] == nil {
      response.headers.append(header)
    }
    return response
  }

  private func check(_ request: Request) throws(HTTPError) {
    let authority = request.head.authority ?? ""
    guard names.contains(name(in: authority)) else {
      throw HTTPError(
        .misdirectedRequest,
        message: "Expected one of these as the host: \(names.sorted().joined(separator: ", ")).")
    }
    if request.method == .get { return }
    let site = request.headers[HTTPField.Name("Sec-Fetch-Site")!] ?? "same-origin"
    let origin = request.headers[.origin]?.split(separator: "://", maxSplits: 1).last
    guard site == "same-origin", origin == nil || origin?.lowercased() == authority.lowercased()
    else {
      throw HTTPError(
        .forbidden, message: "Expected a request of this server's own page, or of no page.")
    }
  }
}

/// A host's name without its port, which follows the last colon that is in no brackets.
private func name(in authority: String) -> String {
  let end = authority.lastIndex(of: "]") ?? authority.startIndex
  let colon = authority[end...].firstIndex(of: ":") ?? authority.endIndex
  return authority[..<colon].lowercased()
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
