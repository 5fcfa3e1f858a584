import Foundation
import Hummingbird

/// What a client asks for, such as `{"add": {"title": "Buy milk"}}`.
enum Wish: Decodable {
  case add(title: String)
  case rename(id: String, title: String)
  case mark(id: String, isDone: Bool)
  case remove(id: String)

  /// Reads one.
  ///
  /// - Parameter json: what the client sent.
  /// - Throws: what is wrong with it, and what was expected.
  init(json: Data) throws(HTTPError) {
    do {
      self = try JSONDecoder().decode(Wish.self, from: json)
    } catch {
      let problem = (error as? DecodingError).map(words(for:)) ?? "It cannot be read."
      throw HTTPError(.badRequest, message: "\(problem) Expected \(Wish.forms).")
    }
  }

  /// The intent that it stands for.
  ///
  /// - Parameters:
  ///   - list: the tasks that there are.
  ///   - newID: the id of a task that is added.
  /// - Returns: what is to be dispatched.
  /// - Throws: why that would change nothing.
  func intent(in list: TaskList, newID: String) throws(HTTPError) -> TaskIntent {
    switch self {
    case .add(let title):
      guard list.tasks.count < TaskList.limit else { throw listIsFull }
      return .add(id: newID, title: try checked(title))
    case .rename(let id, let title):
      return .rename(id: try known(id, in: list), title: try checked(title))
    case .mark(let id, let isDone):
      return .mark(id: try known(id, in: list), isDone: isDone)
    case .remove(let id):
      return .remove(id: try known(id, in: list))
    }
  }

  private static let forms = """
    one of {"add": {"title": "…"}}, {"rename": {"id": "…", "title": "…"}}, \
    {"mark": {"id": "…", "isDone": true}}, {"remove": {"id": "…"}}
    """
}

let listIsFull = HTTPError(
  .conflict, message: "The list is full: expected fewer than \(TaskList.limit) tasks.")

private func known(_ id: String, in list: TaskList) throws(HTTPError) -> String {
  if list[id] != nil { return id }
  throw HTTPError(.notFound, message: "There is no such task: expected the id of one in the list.")
}

/// A title without the blanks around it, if it is one.
private func checked(_ title: String) throws(HTTPError) -> String {
  let title = title.trimmingCharacters(in: .whitespacesAndNewlines)
  let categories = title.unicodeScalars.map(\.properties.generalCategory)
  if !(1...200).contains(categories.count) {
    throw HTTPError(
      .badRequest,
      message: "The title has \(categories.count) characters. Expected 1 to 200 of them.")
  }
  if !Set(categories).isDisjoint(with: [.control, .lineSeparator, .paragraphSeparator]) {
    throw HTTPError(
      .badRequest,
      message: "The title has control characters. Expected text of one line.")
  }
  return title
}

private func words(for error: DecodingError) -> String {
  switch error {
  case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing."
  case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
    "\(place(context.codingPath)) is not \(name(of: type))."
  default: "It is not JSON."
  }
}

private func place(_ path: [any CodingKey]) -> String {
  path.isEmpty ? "It" : "\"\(path.map(\.stringValue).joined(separator: "."))\""
}

private func name(of type: Any.Type) -> String {
  switch type {
  case is String.Type: "a string"
  case is Bool.Type: "true or false"
  default: "such an object"
  }
}
