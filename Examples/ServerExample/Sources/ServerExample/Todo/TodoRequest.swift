import Foundation
import Hummingbird

/// The body of a request that adds or changes a to-do, such as `{"title": "Buy milk"}`.
struct TodoRequest: Decodable {
  private(set) var title: String?
  private(set) var isDone: Bool?

  /// Reads and validates one.
  ///
  /// - Throws: an `HTTPError` that says what is wrong, and what was expected.
  init(from request: Request, context: some RequestContext) async throws {
    // A page of another site can send text without asking this server.
    let type = request.headers[.contentType].flatMap(MediaType.init(from:))
    guard type?.isType(.applicationJson) == true else {
      throw HTTPError(.unsupportedMediaType, message: "Expected a body of application/json.")
    }
    self = try await request.decode(as: Self.self, context: context)
    if title == nil && isDone == nil { throw invalid(#"Expected "title", "isDone" or both."#) }
    guard let title = title?.trimmingCharacters(in: .whitespacesAndNewlines) else { return }
    let categories = title.unicodeScalars.map(\.properties.generalCategory)
    if !(1...200).contains(categories.count) {
      throw invalid("The title has \(categories.count) characters. Expected 1 to 200.")
    }
    if !Set(categories).isDisjoint(with: [.control, .lineSeparator, .paragraphSeparator]) {
      throw invalid("The title has control characters. Expected one line of text.")
    }
    self.title = title
  }
}

private func invalid(_ message: String) -> HTTPError { HTTPError(.badRequest, message: message) }
