import Foundation
import Glue
import GlueJournal
import Hummingbird
import Tracing

/// The routes that read and change the list.
struct TodoController: Sendable {
  let dependencies: Dependencies

  func addRoutes(to group: RouterGroup<AppContext>) {
    group.get { _, _ in dependencies.store.state.todos }
    group.post(use: create)
    group.patch(":id", use: update)
    group.delete(":id", use: delete)
  }

  private func create(_ request: Request, context: AppContext) async throws -> EditedResponse<Todo>
  {
    guard let title = try await TodoRequest(from: request, context: context).title else {
      throw HTTPError(.badRequest, message: #"Expected a "title"."#)
    }
    let id = UUID().uuidString.lowercased()
    try await commit(.add(id: id, title: title))
    guard let todo = dependencies.store.state[id] else {
      throw HTTPError(.conflict, message: "Expected fewer than \(TodoList.limit) to-dos.")
    }
    return EditedResponse(status: .created, response: todo)
  }

  private func update(_ request: Request, context: AppContext) async throws -> Todo {
    let id = try context.parameters.require("id")
    let change = try await TodoRequest(from: request, context: context)
    try await commit(.edit(id: id, title: change.title, isDone: change.isDone, at: .now))
    return try known(id)
  }

  private func delete(_ request: Request, context: AppContext) async throws -> HTTPResponse.Status {
    let id = try known(context.parameters.require("id")).id
    try await commit(.remove(id: id))
    return .noContent
  }

  /// Performs an intent, and returns when it is on the disk, so no answer describes a change that is
  /// lost.
  private func commit(_ intent: TodoIntent) async throws {
    try await withSpan("commit") { _ in
      await dependencies.store.perform(intent)
      try await dependencies.journal?.synced()
    }
  }

  private func known(_ id: String) throws -> Todo {
    if let todo = dependencies.store.state[id] { return todo }
    throw HTTPError(.notFound, message: "There is no such to-do.")
  }
}
